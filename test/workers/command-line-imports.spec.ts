import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportJob } from '../../src/cli/api/imports.js';
import { ndjson, people, type Person } from '../faults/support/people.js';
import { Site, SLOW } from '../faults/support/site.js';
import { fixture, identity, inDirectory, type Around } from '../unit/cli/support/run-cli.js';
import { eventually } from './support/eventually.js';
import { IdentityProcess } from './support/identity-process.js';

let site: Site;

beforeAll(async () => {
  site = await Site.build();
  await site.startApi();
  // plain passwords take their time, so that there is an import to be paused
  await site.startWorker(SLOW);
});
afterAll(async () => {
  await site.tearDown();
});

function around(): Around {
  return { url: site.origin, token: site.credentials.serviceUser.pat, fetch };
}

async function run(...args: string[]) {
  return await identity(['import', ...args], '', around());
}

async function runJson(...args: string[]): Promise<{ code: number; job: ImportJob }> {
  const { code, out, err } = await run(...args, '--json');
  if (out === '') throw new Error(err);
  return { code, job: JSON.parse(out) as ImportJob };
}

function spawn(args: readonly string[], stdin?: string): IdentityProcess {
  const environment = { IDENTITY_URL: site.origin, IDENTITY_TOKEN: site.credentials.serviceUser.pat };
  return IdentityProcess.run(args, environment, stdin);
}

async function inFile<Result>(
  records: readonly unknown[],
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  return await inDirectory(async (directory) => {
    const file = path.join(directory, 'users.ndjson');
    await writeFile(file, ndjson(records));
    return await work(file);
  });
}

async function resultsIn(file: string): Promise<{ outcome: string; code?: string; userId?: string }[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { outcome: string });
}

async function firstNames(persons: readonly Person[]): Promise<string[]> {
  const { rows } = await site.pool.query<{ name: string }>(
    `SELECT DISTINCT h.first_name AS name FROM user_humans h JOIN users u ON u.id = h.user_id
     WHERE u.user_name = ANY($1)`,
    [persons.map(({ userName }) => userName)],
  );
  return rows.map(({ name }) => name);
}

describe('identity import --mode', () => {
  it('insert fails, skip leaves alone, upsert updates whom there is', async () => {
    const persons = people(3, 'hashed');
    await inFile(persons, async (file) => {
      expect(await runJson(file, '--notify', 'none')).toMatchObject({
        code: 0,
        job: { counts: { created: 3 } },
      });
      const renamed = persons.map((person) => ({
        ...person,
        profile: { firstName: 'Renamed', lastName: 'Markerlast' },
      }));
      await writeFile(file, ndjson(renamed));

      const inserted = await runJson(file, '--mode', 'insert', '--notify', 'none');
      expect(inserted).toMatchObject({ code: 1, job: { state: 'done', counts: { created: 0, failed: 3 } } });
      const skipped = await runJson(file, '--mode', 'skip', '--notify', 'none');
      expect(skipped).toMatchObject({ code: 0, job: { counts: { skipped: 3, updated: 0, failed: 0 } } });
      expect(await firstNames(persons)).toEqual(['Markerfirst']);
      const updated = await runJson(file, '--mode', 'upsert', '--notify', 'none');
      expect(updated).toMatchObject({ code: 0, job: { counts: { updated: 3, skipped: 0, failed: 0 } } });
      expect(await firstNames(persons)).toEqual(['Renamed']);
      // each run has a file of its own
      const results = await resultsIn(`${file}.results-4.ndjson`);
      expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'updated']);
    });
  });

  it('keeps nothing of a dry run but its results', async () => {
    const persons = people(2, 'hashed');
    await inFile(persons, async (file) => {
      const { code, out } = await run(file, '--dry-run');
      expect(code).toBe(0);
      expect(out).toContain('is done (dry run: nothing was kept)');
      expect(out).toContain('2 of 2 records: 2 created');
      expect(await firstNames(persons)).toEqual([]);
      expect(await resultsIn(`${file}.results.ndjson`)).toHaveLength(2);
    });
  });
});

describe('identity import while it runs', () => {
  it('is paused, stands still, and resumed to its end', async () => {
    await inFile(people(2_000), async (file) => {
      const { job } = await runJson(file, '--detach', '--notify', 'none');
      expect((await runJson('pause', job.id)).job.state).toBe('paused');
      await eventually('the chunk at work to end', 20_000, async () => {
        return (await site.count('import_chunks', `import_id = '${job.id}' AND state = 'running'`)) === 0;
      });
      const paused = await runJson('status', job.id);
      expect(paused).toMatchObject({ code: 0, job: { state: 'paused', counts: { total: 2_000 } } });
      expect(paused.job.counts.created).toBeLessThan(2_000);
      expect(await run('status', '--state', 'paused')).toMatchObject({
        code: 0,
        out: expect.stringContaining(`Import ${job.id} is paused`),
      });
      const resumed = await runJson('resume', job.id, '--watch');
      expect(resumed).toMatchObject({ code: 0, job: { state: 'done', counts: { created: 2_000 } } });
    });
  });

  it('is cancelled: users brought in stay, and the exit code of its status is 1', async () => {
    const persons = people(2_000);
    await inFile(persons, async (file) => {
      const { job } = await runJson(file, '--detach', '--notify', 'none');
      await site.untilProgress(job.id, 100);
      const cancelled = await runJson('cancel', job.id, '--watch');
      expect(cancelled).toMatchObject({ code: 0, job: { state: 'cancelled' } });
      const { created } = cancelled.job.counts;
      expect(created).toBeGreaterThan(0);
      expect(created).toBeLessThan(2_000);
      const names = persons.map(({ userName }) => `'${userName}'`).join();
      expect(await site.count('users', `user_name IN (${names})`)).toBe(created);
      expect((await run('status', job.id)).code).toBe(1);
      // nothing is left to be resumed
      expect(await run('resume', job.id)).toMatchObject({ code: 1, out: '' });
    });
  });

  it('is left with Ctrl-C: the exit code is 130, and the import goes on to its end', async () => {
    await inFile(people(2_000), async (file) => {
      const watching = spawn(['import', file, '--notify', 'none']);
      await watching.untilSaid('Importing [');
      watching.interrupt();
      expect(await watching.exited).toBe(130);
      const [, id = ''] = /the import goes on: identity import status (\S+)\n$/.exec(watching.err) ?? [];
      expect(watching.out).toBe('');
      const ended = await runJson('status', id, '--watch');
      expect(ended).toMatchObject({ code: 0, job: { state: 'done', counts: { created: 2_000 } } });
    });
  });

  it('is watched on while the API is killed and started again', async () => {
    await inFile(people(2_000), async (file) => {
      const watching = spawn(['import', file, '--notify', 'none']);
      await watching.untilSaid('Importing [');
      await Promise.all(site.apis.map((api) => api.kill()));
      await site.startApi();
      expect(await watching.exited).toBe(0);
      expect(watching.out).toContain('2,000 of 2,000 records: 2,000 created');
      expect(await resultsIn(`${file}.results.ndjson`)).toHaveLength(2_000);
    });
  });

  it('shows one line that grows where somebody looks on', async () => {
    await inFile(people(300), async (file) => {
      const args = ['import', file, '--notify', 'none'];
      const { code, err } = await identity(args, '', { ...around(), isTTY: true });
      expect(code).toBe(0);
      const shown = err.split('\r\u001b[2K');
      const bars = shown.flatMap((text) => /\[[#.]{24}\] (\d+) % · (\d+) of 300/.exec(text)?.[1] ?? []);
      expect(bars.map(Number)).toEqual(bars.map(Number).toSorted((a, b) => a - b));
      expect(bars.length).toBeGreaterThan(1);
      expect(bars.at(-1)).toBe('100');
      // the line is gone, and what stays is a sentence
      expect(shown.at(-1)).toBe(`The outcome of each record is in ${file}.results.ndjson.\n`);
    });
  });
});

describe('identity import afterwards', () => {
  it('retries the failed records, as they were and corrected', async () => {
    const [good, bad] = people(2, 'hashed');
    await inFile([good, { ...bad, email: { email: 'nobody' } }], async (file) => {
      const first = await runJson(file, '--notify', 'none');
      expect(first).toMatchObject({ code: 1, job: { state: 'done', counts: { created: 1, failed: 1 } } });
      const again = await runJson('retry', first.job.id);
      expect(again).toMatchObject({
        code: 1,
        job: { retryOf: first.job.id, counts: { total: 1, created: 0, failed: 1 } },
      });
      const corrected = `${file}.corrected.ndjson`;
      await writeFile(corrected, ndjson([bad]));
      const mended = await runJson('retry', first.job.id, corrected, '--notify', 'none');
      expect(mended).toMatchObject({ code: 0, job: { retryOf: first.job.id, counts: { created: 1 } } });
      expect((await resultsIn(`${corrected}.results.ndjson`)).map(({ outcome }) => outcome)).toEqual([
        'created',
      ]);
    });
  });

  it('undoes it: those who were created are gone, and may come again', async () => {
    const persons = people(2, 'hashed');
    await inFile(persons, async (file) => {
      const { job } = await runJson(file, '--notify', 'none');
      const undone = await run('undo', job.id, '--watch');
      expect(undone).toMatchObject({
        code: 0,
        out: expect.stringContaining('undo done: 2 users removed, 0 kept'),
      });
      expect(await firstNames(persons)).toEqual([]);
      expect((await runJson(file, '--notify', 'none')).job.counts.created).toBe(2);
    });
  });

  it('sends deferred mails when it is told, once', async () => {
    // the first of them has an address that is not verified
    const persons = people(2, 'hashed');
    const [{ email }] = persons as [Person, Person];
    const address = (email as { email: string }).email;
    await inFile(persons, async (file) => {
      const { job } = await runJson(file, '--notify', 'deferred');
      expect((await run('status', job.id)).out).toContain(`send with: identity import notify ${job.id}`);
      expect(await site.count('outbox', `queue = 'notifications'`)).toBe(0);
      expect(site.sink.to(address)).toHaveLength(0);
      expect((await run('notify', job.id)).code).toBe(0);
      await eventually('the mail', 30_000, () => site.sink.to(address).length > 0);
      // nothing is held back any more
      expect(await run('notify', job.id)).toMatchObject({ code: 1, out: '' });
      await site.untilNothingQueued();
      expect(site.sink.to(address)).toHaveLength(1);
    });
  });

  it('writes results as NDJSON or CSV, safe for spreadsheets and without values of records', async () => {
    const [good, bad] = people(2, 'hashed');
    await inFile([good, { ...bad, userId: '=1+1', email: { email: 'Marker-Value' } }], async (file) => {
      const csv = `${file}.csv`;
      const { code, job } = await runJson(file, '--notify', 'none', '--results', csv);
      expect(code).toBe(1);
      const [header = '', ...rows] = (await readFile(csv, 'utf8')).trimEnd().split('\r\n');
      expect(header.split(',').slice(0, 2)).toEqual(['line', 'outcome']);
      expect(rows).toHaveLength(2);
      expect(rows[1]).toContain(`'=1+1`);
      const failed = await run('results', job.id, '--outcome', 'failed');
      expect(JSON.parse(failed.out)).toMatchObject({ line: 2, outcome: 'failed', givenId: '=1+1' });
      const failedRows = await run('results', job.id, '--outcome', 'failed', '--format', 'csv');
      expect(failedRows.out.trimEnd().split('\r\n')).toEqual([header, rows[1]]);
      expect(failed.out + failedRows.out).not.toMatch(/Marker|\$2[aby]\$/);
    });
  });
});

describe('identity convert | identity import', () => {
  it.each([
    ['auth0', ['--users', 'auth0/users.ndjson', '--passwords', 'auth0/passwords.ndjson']],
    ['keycloak', ['--realm', 'keycloak/acme-realm.json']],
    ['firebase', ['--users', 'firebase/users.json', '--hash-config', 'firebase/hash_config.txt']],
    ['okta', ['--users', 'okta/users.csv']],
    ['cognito', ['--users', 'cognito/users.json']],
    ['wordpress', ['--users', 'wordpress/users.csv']],
    ['csv', ['--users', 'csv/people.csv', '--mapping', 'csv/mapping.json']],
  ] as const)('%s: whatever is converted is imported', async (source, options) => {
    await inDirectory(async (directory) => {
      const file = path.join(directory, 'users.ndjson');
      const args = options.map((word) => (word.startsWith('--') ? word : fixture(word)));
      const { out } = await identity(['convert', source, ...args, '--output', file, '--json']);
      const { converted } = JSON.parse(out) as { converted: number };
      expect(converted).toBeGreaterThan(0);
      // a dry run: the exports share some ids and names with each other
      const { job } = await runJson(file, '--dry-run', '--notify', 'none');
      const refused = (await resultsIn(`${file}.results.ndjson`)).flatMap(({ code }) => code ?? []);
      // a social account of one and the same person has the name of the first
      expect(refused.filter((code) => code !== 'duplicate')).toEqual([]);
      expect(job.counts.created).toBe(converted - refused.length);
    });
  });
});

describe('identity in a pipe and a script', () => {
  it('takes standard input from another command', async () => {
    const imported = spawn(['import', '-', '--notify', 'none', '--json'], ndjson(people(2, 'hashed')));
    expect(await imported.exited).toBe(0);
    expect(JSON.parse(imported.out)).toMatchObject({ state: 'done', counts: { total: 2, created: 2 } });
  });

  it('ends with 1 for a wrong token and 2 for a wrong command line, and never tells the token', async () => {
    const environment = { IDENTITY_URL: site.origin, IDENTITY_TOKEN: 'pat_nobodys' };
    const refused = IdentityProcess.run(['users', 'list'], environment);
    const wrong = IdentityProcess.run(['import', 'pause'], environment);
    expect([await refused.exited, await wrong.exited]).toEqual([1, 2]);
    expect(refused.err).toContain('(401)');
    expect(wrong.err).toContain("missing required argument 'id'");
    expect(refused.err + wrong.err + refused.out).not.toContain('nobodys');
  });
});

describe('identity users', () => {
  async function users(...args: string[]) {
    return await identity(['users', ...args], '', around());
  }

  it('lists, shows, locks, deactivates, mails again and removes', async () => {
    const [unverified, other] = people(2, 'hashed') as [Person, Person];
    await inFile([unverified, other], async (file) => await runJson(file, '--notify', 'none'));
    const found = await users('list', '--user-name', unverified.userName, '--exact', '--json');
    const [user] = JSON.parse(found.out) as { id: string; userName: string }[];
    const id = user?.id ?? '';
    expect(user?.userName).toBe(unverified.userName);

    const both = await users(
      'list',
      '--email',
      unverified.userName.slice(0, -2).toUpperCase(),
      '--type',
      'human',
    );
    expect(both.out.trimEnd().split('\n')).toHaveLength(2);
    expect(both.out).toContain('Markerfirst Markerlast');
    const shortened = await users('list', '--limit', '1', '--type', 'human');
    expect(shortened.out.trimEnd().split('\n')).toHaveLength(1);
    expect(shortened.err).toMatch(/^1 of \d+ users: see --limit\.\n$/);

    const states = [
      ['lock', 'locked'],
      ['unlock', 'active'],
      ['deactivate', 'inactive'],
      ['reactivate', 'active'],
    ] as const;
    for (const [verb, state] of states) {
      const { code, out } = await users(verb, id);
      expect({ code, out }).toMatchObject({
        code: 0,
        out: expect.stringContaining(`User ${id} is ${state}\n`),
      });
      const listed = await users('list', '--user-name', unverified.userName, '--state', state, '--json');
      expect(JSON.parse(listed.out)).toHaveLength(1);
    }
    // there is nothing to unlock
    expect(await users('unlock', id)).toMatchObject({ code: 1, err: expect.stringContaining('refused') });

    const address = (unverified['email'] as { email: string }).email;
    expect((await users('resend-verification', id)).out).toContain('(not verified)');
    await eventually('the mail', 30_000, () => site.sink.to(address).length === 1);

    expect((await users('remove', id)).code).toBe(2);
    expect((await users('get', id)).code).toBe(0);
    expect(await users('remove', id, '--yes')).toMatchObject({ code: 0, out: `Removed user ${id}.\n` });
    expect(await users('get', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no user of this'),
    });
  });
});
