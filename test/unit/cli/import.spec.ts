import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ZSTD_FRAME } from '../../support/zstd-sample.js';
import { json, serviceOf, type Answer } from './support/fake-service.js';
import { identity, inDirectory } from './support/run-cli.js';

const TOKEN = 'pat_invented-token-of-no-one';
const ID = '8Jq2vZ1xT0aB4cD6eF8gHi';
const HERE = { url: 'http://127.0.0.1:8080/', token: TOKEN };

function job(state: string, counts: object = {}, more: object = {}): object {
  const none = { created: 0, updated: 0, skipped: 0, failed: 0, weak: 0 };
  return { id: ID, state, dryRun: false, counts: { ...none, ...counts }, ...more };
}

const events =
  (...jobs: object[]): Answer =>
  () =>
    new Response(
      jobs.map((one) => `event: progress\nid: 1\ndata: ${JSON.stringify(one)}\n\n: beat\n\n`).join(''),
    );
const lost: Answer = () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
};

const IMPORTS = '/management/v1/imports';
const EVENTS = `GET ${IMPORTS}/${ID}/events`;
const DONE = job('done', { total: 2, created: 2 });

async function inFile<Result>(
  content: string | Buffer,
  work: (file: string) => Promise<Result>,
  name = 'users.ndjson',
) {
  return inDirectory(async (directory) => {
    const file = path.join(directory, name);
    await writeFile(file, content);
    return work(file);
  });
}

describe('identity import', () => {
  it('sends the file, follows the import to its end and saves the results', async () => {
    const service = serviceOf({
      [`POST ${IMPORTS}`]: [json(job('queued', { total: 2 }), 202)],
      [EVENTS]: [events(job('running', { total: 2, created: 1 }, { rate: 900.4, etaSeconds: 61 }), DONE)],
      [`GET ${IMPORTS}/${ID}/results`]: [() => new Response('{"line":1,"outcome":"created"}\n')],
    });
    await inFile('{"userName":"ada"}\n', async (file) => {
      const { code, out, err } = await identity(['import', file, '--org', '42'], '', { ...HERE, ...service });
      expect(code).toBe(0);
      expect(out).toContain(
        `Import ${ID} is done\n  2 of 2 records: 2 created, 0 updated, 0 skipped, 0 failed`,
      );
      expect(err).toContain('Importing [############............] 50 % · 1 of 2 · 900/s · 1 min 1 s left');
      expect(await readFile(`${file}.results.ndjson`, 'utf8')).toBe('{"line":1,"outcome":"created"}\n');
    });
    const [upload] = service.asked;
    expect(upload?.path).toBe(`${IMPORTS}?fileName=users.ndjson`);
    expect(upload?.body.toString()).toBe('{"userName":"ada"}\n');
    expect(Object.fromEntries(upload?.headers ?? [])).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/x-ndjson',
      'x-org-id': '42',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'content-length': String('{"userName":"ada"}\n'.length),
    });
    expect(upload?.headers.has('content-encoding')).toBe(false);
  });

  it('passes its options on, and a packed file as it is', async () => {
    const service = serviceOf({ [`POST ${IMPORTS}`]: [json(job('queued'), 202)] });
    const packed = gzipSync('userName\nada\n');
    await inFile(
      packed,
      async (file) => {
        const args = [
          '--mode',
          'upsert',
          '--update-passwords',
          '--dry-run',
          '--notify',
          'none',
          '--detach',
          '--json',
        ];
        const { code, out } = await identity(['import', ...args, file], '', { ...HERE, ...service });
        expect(code).toBe(0);
        expect(JSON.parse(out)).toEqual(job('queued'));
      },
      'users.csv.gz',
    );
    const [{ path: asked, headers, body } = { path: '', headers: new Headers(), body: Buffer.alloc(0) }] =
      service.asked;
    expect(Object.fromEntries(new URL(asked, 'http://x').searchParams)).toEqual({
      mode: 'upsert',
      notify: 'none',
      dryRun: 'true',
      updatePasswords: 'true',
      fileName: 'users.csv.gz',
    });
    expect(headers.get('content-type')).toBe('text/csv');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(body.equals(packed)).toBe(true);
    expect(service.asked).toHaveLength(1);
  });

  it('sends a file packed with zstd as it is: whether it can be read is for the service to say', async () => {
    const service = serviceOf({ [`POST ${IMPORTS}`]: [json(job('queued'), 202)] });
    await inFile(
      ZSTD_FRAME,
      (file) => identity(['import', file, '--detach', '--yes'], '', { ...HERE, ...service }),
      'users.ndjson.zst',
    );
    const [asked] = service.asked;
    expect(asked?.headers.get('content-type')).toBe('application/x-ndjson');
    expect(asked?.headers.get('content-encoding')).toBe('zstd');
    expect(asked?.body.equals(ZSTD_FRAME)).toBe(true);
  });

  it('reads standard input, as NDJSON unless told', async () => {
    const service = serviceOf({ [`POST ${IMPORTS}`]: [json(DONE, 202)] });
    expect((await identity(['import', '-'], '{"a":1}\n', { ...HERE, ...service })).code).toBe(0);
    expect(
      (await identity(['import', '-', '--format', 'dataorgs'], '{}', { ...HERE, ...service })).code,
    ).toBe(0);
    expect(service.asked.map(({ headers }) => headers.get('content-type'))).toEqual([
      'application/x-ndjson',
      'application/json',
    ]);
  });

  it('goes on watching when the stream breaks, and ends with 1 for failed records', async () => {
    const failed = job('done', { total: 3, created: 2, failed: 1, weak: 1 });
    const service = serviceOf({
      [`POST ${IMPORTS}`]: [json(job('queued', { total: 3 }), 202)],
      [EVENTS]: [
        events(job('running', { total: 3, created: 1 })),
        lost,
        json({ message: 'restarting' }, 503),
        events(job('paused', { total: 3, created: 1 })),
        events(failed),
      ],
    });
    const { code, out } = await identity(['import', '-'], '{}\n', { ...HERE, ...service });
    expect(code).toBe(1);
    expect(out).toContain(`1 failed\n  1 with a weak password hash`);
    expect(out).toContain(`identity import retry ${ID}`);
    expect(service.asked.filter(({ path: asked }) => asked.endsWith('/events'))).toHaveLength(5);
  });

  it('says that the import goes on when it can watch no longer', async () => {
    const service = serviceOf({ [`POST ${IMPORTS}`]: [json(job('running'), 202)], [EVENTS]: [lost] });
    const { code, err } = await identity(['import', '-'], '{}\n', { ...HERE, ...service });
    expect(code).toBe(1);
    expect(err).toContain(`ECONNRESET; the import goes on: identity import status ${ID}`);
    expect(service.asked.length).toBeLessThan(100);
  });

  it('ends at Ctrl-C with a code of its own while the import goes on', async () => {
    const pressed = new AbortController();
    const endless: Answer = () => {
      pressed.abort();
      return new Response(new ReadableStream({ start: (stream) => stream.error(new Error('aborted')) }));
    };
    const service = serviceOf({ [`POST ${IMPORTS}`]: [json(job('queued'), 202)], [EVENTS]: [endless, lost] });
    const around = { ...HERE, ...service, interrupt: pressed.signal };
    const { code, out, err } = await inFile('{}', (file) => identity(['import', file], '', around));
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toContain(`the import goes on: identity import status ${ID}\n`);
  });

  it('names the key with which an upload that Ctrl-C broke off may be sent again', async () => {
    const pressed = new AbortController();
    const service = serviceOf({
      [`POST ${IMPORTS}`]: [
        () => {
          pressed.abort();
          return lost();
        },
      ],
    });
    const around = { ...HERE, ...service, interrupt: pressed.signal };
    const { code, err } = await inFile('{}', (file) => identity(['import', file], '', around));
    expect(code).toBe(130);
    expect(err).toContain(`--idempotency-key ${service.asked[0]?.headers.get('idempotency-key')}\n`);
  });

  it('names the key with which a broken upload may be tried again', async () => {
    const service = serviceOf({ [`POST ${IMPORTS}`]: [lost, json(DONE, 202)] });
    const broken = await identity(['import', '-'], '{}\n', { ...HERE, ...service });
    expect(broken.code).toBe(1);
    const [, key = ''] = /--idempotency-key (\S+)/.exec(broken.err) ?? [];
    await identity(['import', '-', '--idempotency-key', key], '{}\n', { ...HERE, ...service });
    expect(service.asked.map(({ headers }) => headers.get('idempotency-key'))).toEqual([key, key]);
  });

  it('tells what the service says of a refusal, and never the token', async () => {
    const refusals: [Answer, string][] = [
      [
        json({ code: 7, message: 'No matching permissions found (AUTH-5mWD2)' }, 403),
        '(403): No matching permissions',
      ],
      [() => new Response('<html>', { status: 413 }), '(413): the file is larger than the service takes'],
      [json({ message: 'auth header missing' }, 401), '(401): auth header missing'],
    ];
    for (const [answer, text] of refusals) {
      const service = serviceOf({ [`POST ${IMPORTS}`]: [answer] });
      const { code, err } = await identity(['import', '-'], '{}\n', { ...HERE, ...service });
      expect(code).toBe(1);
      expect(err).toContain(text);
      expect(err).not.toContain(TOKEN);
    }
  });

  it.each([
    ['a file whose name says nothing', ['import', 'users.txt'], 'give --format ndjson, csv or dataorgs'],
    ['passwords without upsert', ['import', 'users.csv', '--update-passwords'], '--update-passwords is for'],
    ['two files', ['import', 'a.csv', 'b.csv'], 'too many arguments'],
    ['a change without an import', ['import', 'pause'], "missing required argument 'id'"],
  ])('refuses %s', async (_name, args, message) => {
    const { code, err } = await identity(args, '', { ...HERE, ...serviceOf({}) });
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('tells that there is no such file', async () => {
    const { code, err } = await identity(['import', '/nowhere/users.csv'], '', {
      ...HERE,
      ...serviceOf({}),
    });
    expect(code).toBe(1);
    expect(err).toContain('cannot read /nowhere/users.csv: there is no such file');
  });
});

describe('identity import, before it sends mails', () => {
  const person = (n: number, more: object = {}): string =>
    `${JSON.stringify({
      userName: `user-${n}`,
      profile: { firstName: 'Ada', lastName: 'Lovelace' },
      email: { email: `user-${n}@example.com`, isEmailVerified: true },
      ...more,
    })}\n`;
  const people = (count: number, more: object = {}): string =>
    Array.from({ length: count }, (_, n) => person(n, more)).join('');
  const served = () => serviceOf({ [`POST ${IMPORTS}`]: [json(job('queued'), 202)] });
  const ask = async (content: string, answer: string, args: readonly string[] = [], isTTY = true) => {
    const service = served();
    const around = { ...HERE, ...service, isTTY };
    const finished = await inFile(content, (file) =>
      identity(['import', file, '--detach', ...args], answer, around),
    );
    return { ...finished, sent: service.asked.length };
  };

  it('asks with the number where they are more than a hundred, and takes only a yes', async () => {
    const yes = await ask(people(101), 'y\n');
    expect(yes).toMatchObject({ code: 0, sent: 1 });
    expect(yes.err).toContain('This import sends up to 101 mails');
    for (const answer of ['\n', 'n\n', 'yesterday\n', '']) {
      const no = await ask(people(101), answer);
      expect(no).toMatchObject({ code: 1, sent: 0 });
      expect(no.err).toContain('nothing was sent. --notify deferred');
    }
  });

  it('asks nobody for a hundred, or where no mail goes out', async () => {
    const hash = {
      hashedPassword: { value: '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW' },
    };
    const free: [string, string[]][] = [
      [people(100), []],
      [people(101, hash), []],
      [people(101, { state: 'locked' }), []],
      [people(101), ['--initial-state', 'inactive']],
      [people(101), ['--notify', 'deferred']],
      [people(101), ['--notify', 'none']],
      [people(101), ['--dry-run']],
      [people(101), ['--yes']],
      ['{"nobody": 1}\n'.repeat(200), []],
    ];
    for (const [content, args] of free) {
      const { code, sent, err } = await ask(content, '', args);
      expect({ code, sent, asked: err.includes('mails') }).toEqual({ code: 0, sent: 1, asked: false });
    }
  });

  it('asks before a retry of more than a hundred records, whose options are those of the first time', async () => {
    const retry = async (answer: string, more: object, args: readonly string[] = [], isTTY = true) => {
      const service = serviceOf({
        [`GET ${IMPORTS}/${ID}`]: [json(job('done', { failed: 1_101 }, more))],
        [`POST ${IMPORTS}/${ID}/_retry`]: [json(DONE, 202)],
      });
      const around = { ...HERE, ...service, isTTY };
      const { code, err } = await identity(['import', 'retry', ID, '--detach', ...args], answer, around);
      const posts = service.asked.filter(({ method }) => method === 'POST');
      return { code, sent: posts.length, asked: err.includes('up to 1,101 mails') };
    };
    const meant = { code: 0, sent: 1 };
    expect(await retry('y\n', { notify: 'now' })).toEqual({ ...meant, asked: true });
    expect(await retry('n\n', { notify: 'now' })).toEqual({ code: 1, sent: 0, asked: true });
    expect(await retry('', { notify: 'now' }, [], false)).toEqual({ code: 2, sent: 0, asked: true });
    expect(await retry('', { notify: 'now' }, ['--yes'])).toEqual({ ...meant, asked: false });
    expect(await retry('', { notify: 'deferred' })).toEqual({ ...meant, asked: false });
    expect(await retry('', { notify: 'now', dryRun: true })).toEqual({ ...meant, asked: false });
  });

  it('refuses a script that does not say that they are meant, before anything is sent', async () => {
    const { code, err, sent } = await ask(people(101), '', [], false);
    expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    expect(err).toContain('up to 101 mails');
    expect(err).toContain('--yes');
  });

  it('reads a pipe once, counting on the way, and announces no length', async () => {
    await inDirectory(async (directory) => {
      const pipe = path.join(directory, 'users.ndjson');
      await promisify(execFile)('mkfifo', [pipe]);
      const service = served();
      const writing = writeFile(pipe, people(3));
      expect((await identity(['import', pipe, '--detach'], '', { ...HERE, ...service })).code).toBe(0);
      await writing;
      expect(service.asked[0]?.body.toString()).toBe(people(3));
      expect(service.asked[0]?.headers.has('content-length')).toBe(false);
    });
  });

  it('ends the upload of standard input with the mail after the hundredth', async () => {
    const service = serviceOf({ [`POST ${IMPORTS}`]: [json(job('queued'), 202)] });
    const { code, err } = await identity(['import', '-', '--detach'], people(101), { ...HERE, ...service });
    expect(code).toBe(1);
    expect(err).toContain('more than 100 mails');
    expect(err).not.toContain('--idempotency-key');
    expect((await identity(['import', '-', '--detach'], people(100), { ...HERE, ...served() })).code).toBe(0);
  });
});

describe('what an import leaves to be done', () => {
  const told = async (of: object) => {
    const service = serviceOf({ [`GET ${IMPORTS}/${ID}`]: [json(of)] });
    return (await identity(['import', 'status', ID], '', { ...HERE, ...service })).out;
  };

  it('tells of mails that are held, and how they are sent', async () => {
    const held = job('done', { total: 3, created: 3, held: 2 });
    expect(await told(held)).toContain(`2 messages are held; send with: identity import notify ${ID}`);
    expect(await told(job('done', { total: 3, created: 3, held: 0 }))).not.toContain('held');
  });

  it('tells of second factors of each kind, and of passkeys that work elsewhere only', async () => {
    const factors = { totpSecrets: 3, recoveryCodes: 2, codeFactors: 1, passkeys: 4, foreignPasskeys: 2 };
    const kept = await told(job('done', { total: 3, created: 3, ...factors }));
    for (const line of [
      '3 with a TOTP secret, whose code is asked for from the next sign-in on',
      '2 with recovery codes, each of which replaces a second factor once',
      '1 with codes by e-mail or SMS, which are asked for from the next sign-in on',
      '4 passkeys came along',
      '2 passkeys are for another relying-party id and are left out',
    ]) {
      expect(kept).toContain(line);
    }
    const one = await told(job('done', { total: 3, created: 3, passkeys: 1, foreignPasskeys: 1 }));
    expect(one).toContain('1 passkey came along');
    expect(one).toContain('1 passkey is for another relying-party id and is left out');
    expect(one).not.toContain('TOTP');
  });

  it('tells of identities at providers that were linked, were so before, and were not', async () => {
    const told3 = await told(
      job('done', { total: 3, created: 3, identities: 3, knownIdentities: 1, refusedIdentities: 2 }),
    );
    for (const line of [
      '3 identities at providers are linked',
      '1 identity at a provider is linked already',
      '2 identities at providers are not linked',
    ]) {
      expect(told3).toContain(line);
    }
    expect(await told(job('done', { total: 3, created: 3, identities: 0 }))).not.toContain('provider');
  });

  it('foresees no end while it is paused', async () => {
    const speed = { rate: 900, etaSeconds: 61 };
    expect(await told(job('running', { total: 9 }, speed))).toContain('1 min 1 s left');
    const paused = await told(job('paused', { total: 9 }, speed));
    expect(paused).not.toContain('left');
    expect(paused).not.toContain('a second');
  });

  it('keeps the results of the first run beside those of the second', async () => {
    await inFile('{}\n', async (file) => {
      for (const text of ['first\n', 'second\n', 'third\n']) {
        const service = serviceOf({
          [`POST ${IMPORTS}`]: [json(DONE, 202)],
          [`GET ${IMPORTS}/${ID}/results`]: [() => new Response(text)],
        });
        expect((await identity(['import', file], '', { ...HERE, ...service })).code).toBe(0);
      }
      expect(await readFile(`${file}.results.ndjson`, 'utf8')).toBe('first\n');
      expect(await readFile(`${file}.results-2.ndjson`, 'utf8')).toBe('second\n');
      expect(await readFile(`${file}.results-3.ndjson`, 'utf8')).toBe('third\n');
    });
  });
});

describe('identity import status, results and changes', () => {
  it('shows one, or lists the latest', async () => {
    const service = serviceOf({
      [`GET ${IMPORTS}/${ID}`]: [json(job('running', { total: 5000, created: 1200 }))],
      [`GET ${IMPORTS}`]: [json({ details: { totalResult: '1' }, result: [DONE] })],
    });
    const one = await identity(['import', 'status', ID], '', { ...HERE, ...service });
    expect(one).toMatchObject({ code: 0 });
    expect(one.out).toContain('1,200 of 5,000 records');
    const list = await identity(['import', 'status', '--state', 'done', '--json'], '', {
      ...HERE,
      ...service,
    });
    expect(JSON.parse(list.out)).toEqual([DONE]);
    expect(service.asked.at(-1)?.path).toBe(`${IMPORTS}?state=done&limit=20`);
  });

  it.each(['pause', 'resume', 'cancel', 'undo', 'notify'])('%s is one call', async (name) => {
    const service = serviceOf({ [`POST ${IMPORTS}/a%2Fb/_${name}`]: [json(job('paused'))] });
    const { code, out } = await identity(['import', name, 'a/b'], '', { ...HERE, ...service });
    expect(code).toBe(0);
    expect(out).toContain(`Import ${ID} is paused`);
    expect(service.asked).toHaveLength(1);
  });

  it('watches an undo to its end', async () => {
    const undone = (state: string, removed: number) =>
      job('done', { total: 8, created: 8 }, { undo: { state, removed, kept: 1 } });
    const service = serviceOf({
      [`POST ${IMPORTS}/${ID}/_undo`]: [json(undone('running', 0))],
      [EVENTS]: [events(undone('running', 3), undone('done', 7))],
    });
    const { out, err } = await identity(['import', 'undo', ID, '--watch'], '', { ...HERE, ...service });
    expect(out).toContain('undo done: 7 users removed, 1 kept');
    expect(err).toContain('Undoing [############............] 50 % · 4 of 8 · 1 kept');
  });

  it('retries as it was, or with corrected records', async () => {
    const service = serviceOf({
      [`GET ${IMPORTS}/${ID}`]: [json(job('done', { failed: 100 }, { notify: 'now' }))],
      [`POST ${IMPORTS}/${ID}/_retry`]: [json(DONE, 202)],
    });
    expect((await identity(['import', 'retry', ID], '', { ...HERE, ...service })).code).toBe(0);
    expect((await identity(['import', 'retry', ID, '-'], '{"b":1}\n', { ...HERE, ...service })).code).toBe(0);
    const [, bare, withFile] = service.asked;
    expect([bare, withFile].map((one) => one?.body.toString())).toEqual(['', '{"b":1}\n']);
    expect(bare?.headers.has('content-type')).toBe(false);
  });

  it('downloads results', async () => {
    const results = `GET ${IMPORTS}/${ID}/results`;
    const service = serviceOf({ [results]: [() => new Response('line,outcome\n1,failed\n')] });
    const args = ['import', 'results', ID, '--outcome', 'failed', '--format', 'csv'];
    expect((await identity(args, '', { ...HERE, ...service })).out).toBe('line,outcome\n1,failed\n');
    expect(service.asked[0]?.path).toBe(`${IMPORTS}/${ID}/results?format=csv&outcome=failed`);
  });
});

describe('where the service is and who asks', () => {
  const ask = async (args: readonly string[], around: object) => {
    const service = serviceOf({ [`GET ${IMPORTS}`]: [json({ details: {} })] });
    const finished = await identity(['import', 'status', ...args], '', { ...service, ...around });
    return { ...finished, asked: service.asked[0] };
  };

  it('is told by options, else the environment, else the configuration file', async () => {
    await inDirectory(async (directory) => {
      const tokenFile = path.join(directory, 'token');
      await writeFile(tokenFile, 'pat_from-a-file\n', { mode: 0o600 });
      const configFile = path.join(directory, 'config.json');
      await writeFile(configFile, JSON.stringify({ url: 'http://127.0.0.1:8080', tokenFile, org: '1' }));
      const fromConfig = await ask([], { configFile });
      expect(fromConfig.asked?.headers.get('authorization')).toBe('Bearer pat_from-a-file');
      expect(fromConfig.asked?.headers.get('x-org-id')).toBe('1');
      const fromEnvironment = await ask([], { configFile, token: TOKEN, org: '2' });
      expect(fromEnvironment.asked?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
      expect(fromEnvironment.asked?.headers.get('x-org-id')).toBe('2');
      const fromOptions = await ask(['--token-file', tokenFile, '--org', '3'], {
        configFile,
        token: TOKEN,
        org: '2',
      });
      expect(fromOptions.asked?.headers.get('authorization')).toBe('Bearer pat_from-a-file');
      expect(fromOptions.asked?.headers.get('x-org-id')).toBe('3');
      expect((await readdir(directory)).sort()).toEqual(['config.json', 'token']);
    });
  });

  it('refuses a configuration file with a token that others may read', async () => {
    await inDirectory(async (directory) => {
      const configFile = path.join(directory, 'config.json');
      await writeFile(configFile, JSON.stringify({ url: 'http://127.0.0.1:8080', token: TOKEN }));
      await chmod(configFile, 0o644);
      const open = await ask([], { configFile });
      expect(open).toMatchObject({ code: 1, asked: undefined });
      expect(open.err).toContain('chmod 600');
      await chmod(configFile, 0o600);
      expect((await ask([], { configFile })).code).toBe(0);
    });
  });

  it('refuses a file with nothing but a token that others may read (S408)', async () => {
    await inDirectory(async (directory) => {
      const tokenFile = path.join(directory, 'token');
      await writeFile(tokenFile, TOKEN, { mode: 0o640 });
      const open = await ask([], { url: 'https://id.example', tokenFile });
      expect(open).toMatchObject({ code: 1, asked: undefined });
      expect(open.err).toContain(`chmod 600 ${tokenFile}`);
    });
  });

  it.each([
    ['--url', ['--url', 'https://other.example'], {}],
    ['IDENTITY_URL', [], { url: 'https://other.example' }],
    ['another port', [], { url: 'https://id.example:8443' }],
  ])(
    'sends the token of a configuration file to its own service alone: %s (S408)',
    async (_name, args, env) => {
      await inDirectory(async (directory) => {
        const configFile = path.join(directory, 'config.json');
        const tokenFile = path.join(directory, 'token');
        await writeFile(tokenFile, TOKEN, { mode: 0o600 });
        for (const held of [{ token: TOKEN }, { tokenFile }]) {
          const content = JSON.stringify({ url: 'https://id.example/', ...held });
          await writeFile(configFile, content, { mode: 0o600 });
          const refused = await ask(args, { configFile, ...env });
          expect(refused).toMatchObject({ code: 2, asked: undefined });
          expect(refused.err).toContain('is for https://id.example/: give --token-file, IDENTITY_TOKEN');
          expect(refused.err).not.toContain(TOKEN);
          const own = await ask(['--url', 'https://id.example'], { configFile });
          expect(own.asked?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
          // a token of one's own goes where one says
          const given = await ask(args, { configFile, ...env, token: 'pat_given' });
          expect(given.asked?.headers.get('authorization')).toBe('Bearer pat_given');
        }
      });
    },
  );

  it('sends no token for another service to the one of npm start (S408)', async () => {
    await inDirectory(async (directory) => {
      const configFile = path.join(directory, 'cli.json');
      const content = JSON.stringify({ url: 'http://127.0.0.1:8080', token: 'pat_local' });
      await writeFile(configFile, content, { mode: 0o600 });
      const around = { configFile, isConfigLocal: true };
      expect((await ask([], around)).asked?.headers.get('authorization')).toBe('Bearer pat_local');
      const refused = await ask([], { ...around, token: TOKEN });
      expect(refused).toMatchObject({ code: 2, asked: undefined });
      expect(refused.err).toContain('give --url or IDENTITY_URL');
      const elsewhere = await ask([], { ...around, token: TOKEN, url: 'https://id.example' });
      expect(elsewhere.asked?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
      // whoever names the file means it
      const named = await ask(['--config', configFile], { ...around, token: TOKEN });
      expect(named.asked?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
    });
  });

  it.each([
    ['no URL', { token: TOKEN }, 'where is the service?'],
    ['no token', { url: 'https://id.example' }, 'who is asking?'],
    ['a URL that is none', { url: 'id.example', token: TOKEN }, 'must begin with https://'],
    ['a token without TLS', { url: 'http://id.example', token: TOKEN }, 'the token would travel without TLS'],
  ])('refuses %s', async (_name, around, message) => {
    const { code, err, asked } = await ask([], around);
    expect({ code, asked }).toEqual({ code: 2, asked: undefined });
    expect(err).toContain(message);
  });

  it('refuses a configuration file with a field it does not know', async () => {
    await inFile(
      JSON.stringify({ url: 'https://id.example', tokn: TOKEN }),
      async (file) => {
        const { code, err } = await ask(['--config', file], {});
        expect(code).toBe(2);
        expect(err).not.toContain(TOKEN);
      },
      'config.json',
    );
  });

  it('tells when nobody answers', async () => {
    const { code, err } = await identity(['import', 'status'], '', HERE);
    expect(code).toBe(1);
    expect(err).toContain('cannot reach the service at http://127.0.0.1:8080: ECONNREFUSED');
  });
});
