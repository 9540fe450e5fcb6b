import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { anyFreePort } from '../../../scripts/ports.mjs';
import type { CrashPoint } from '../../../src/domain/shared/crash-point.js';
import type { ImportAnswer } from '../../../src/http/management-api/import.schemas.js';
import { expectInvariants } from './invariants.js';
import { ndjson, people, type Person } from './people.js';
import { onSite, type Site } from './site.js';

/** As many API processes die at a time as cores can start. */
const AT_A_TIME = 2;
const DONE_WITHIN_MS = 60_000;

/**
 * F19: an API dies right after its commit, before anybody was told: in turn over an upload and over a change that
 * enqueues a mail. Everything it had promised happens, and whoever asks again under the same key gets the same.
 */
export async function killTheApi(times: number): Promise<void> {
  await onSite(async (site) => {
    await site.startWorker();
    const [settled, ...waiting] = people(times + 1, 'hashed').map((person) => ({
      ...person,
      email: { email: `${person.userName}@marker.test` },
    }));
    const before = await site.upload([settled, ...waiting], { query: 'mode=skip&notify=none' });
    expect(await site.untilEnded(before.id)).toBe('done');

    const rounds = Array.from({ length: times }, (_, round) => round);
    const uploads = await inTurns(rounds, async (round) => {
      const person = waiting[round] as Person;
      return round % 2 === 0 ? await overAnUpload(site) : await overAMail(site, person);
    });
    const expected = uploads.filter((id) => id !== undefined);
    for (const id of expected) expect(await site.untilEnded(id, DONE_WITHIN_MS)).toBe('done');
    await site.untilNothingQueued(DONE_WITHIN_MS);
    expect(await site.people()).toBe(1 + times + expected.length);
    // one of each upload is not verified, and so are those who were mailed again
    expect(await site.count('notifications', `state = 'sent'`)).toBe(times);
    await expectInvariants(site);
  });
}

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const left = [...items];
  const results: Result[] = [];
  const lane = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return results;
}

/** Has an API die over one request, which nobody answers then. */
async function dyingApi(
  site: Site,
  at: CrashPoint,
  ask: (origin: string) => Promise<unknown>,
): Promise<void> {
  const port = await anyFreePort();
  const api = await site.startApi({ CRASH_AT: at, HOST: '127.0.0.1', PORT: String(port) });
  await expect(ask(api.origin)).rejects.toThrow('fetch failed');
  expect(await api.exited).toBe('SIGKILL');
}

async function overAnUpload(site: Site): Promise<string> {
  const records = people(1, 'hashed');
  const key = randomUUID();
  await dyingApi(site, 'import-after-accepted', (origin) => site.post(ndjson(records), { key, origin }));
  const again = await site.post(ndjson(records), { key });
  expect(again.status).toBe(202);
  return (JSON.parse(again.body) as ImportAnswer).id;
}

async function overAMail(site: Site, { userName }: Person): Promise<undefined> {
  const { rows } = await site.pool.query<{ id: string }>('SELECT id FROM users WHERE user_name = $1', [
    userName,
  ]);
  const route = `/management/v1/users/${rows[0]?.id}/email/_resend_verification`;
  const key = randomUUID();
  const ask = async (origin: string) => {
    return await fetch(`${origin}${route}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${site.credentials.serviceUser.pat}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: '{}',
    });
  };
  await dyingApi(site, 'change-after-commit', ask);
  expect((await ask(site.origin)).status).toBe(200);
}
