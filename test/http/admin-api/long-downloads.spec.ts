import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ImportJobs } from '../../../src/domain/imports/import-jobs.js';
import { DataExport } from '../../../src/http/admin-api/data-export.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// What is downloaded for as long as its reader likes is theirs as long as they may ask for it.

const { api, world } = useWorld();
const EXPORT = '/admin/v1/export';
const RESULTS = '/management/v1/imports/327465982374658001/results';
/** More than what is made before the first byte is sent. */
const BEGINNING = 'x'.repeat(2 * 1024 * 1024);
const LATER = 'the-hash-of-somebody';
let origin: string;

beforeAll(async () => {
  await api.app.listen(0, '127.0.0.1');
  const { port } = api.app.getHttpServer().address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A download whose second half is only made when it is asked for. */
function halfMade(): { readonly goOn: () => void } {
  let goOn = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  vi.spyOn(api.app.get(DataExport), 'write').mockImplementation(async function* () {
    yield `{"orgs":["${BEGINNING}"`;
    await asked;
    yield `,"${LATER}${'.'.repeat(100_000)}"`;
    yield ']}';
  });
  const jobs = api.app.get(ImportJobs);
  vi.spyOn(jobs, 'view').mockResolvedValue({ id: '327465982374658001' } as never);
  vi.spyOn(jobs, 'results').mockImplementation(async function* () {
    yield { line: 1, outcome: 'failed', message: BEGINNING } as never;
    await asked;
    yield { line: 2, outcome: 'failed', message: `${LATER}${'.'.repeat(100_000)}` } as never;
  });
  return { goOn: () => goOn() };
}

function open(caller: ServiceUser, path: string, body?: object): Promise<IncomingMessage> {
  const request = httpRequest(origin + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${caller.pat}`, 'content-type': 'application/json' },
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return once(request, 'response').then(([response]) => response as IncomingMessage);
}

/** All that comes, and whether it came to its proper end. */
async function readAll(response: IncomingMessage): Promise<{ text: string; isWhole: boolean }> {
  let text = '';
  try {
    for await (const piece of response) text += String(piece);
    return { text, isWhole: true };
  } catch {
    return { text, isWhole: false };
  }
}

const withoutRole = 'DELETE FROM memberships WHERE user_id = $1';
const onlyLooking = `UPDATE memberships SET role = 'IAM_OWNER_VIEWER' WHERE user_id = $1`;
const withoutToken = 'UPDATE personal_access_tokens SET revoked_at = app_now() WHERE user_id = $1';

describe('S372 a download of everything', () => {
  it.each([
    [
      'an export with passwords breaks off without the role',
      EXPORT,
      { withPasswords: true },
      withoutRole,
      false,
    ],
    [
      'an export with passwords breaks off for who may only look',
      EXPORT,
      { withPasswords: true },
      onlyLooking,
      false,
    ],
    ['an export with factors breaks off without the token', EXPORT, { withOtp: true }, withoutToken, false],
    ['an export without them goes on for who may look', EXPORT, {}, onlyLooking, true],
    ['an export without them breaks off without the role', EXPORT, {}, withoutRole, false],
    ['results of an import break off without the token', RESULTS, undefined, withoutToken, false],
    ['results of an import break off without the role', RESULTS, undefined, withoutRole, false],
  ])('%s', async (_, path, body, change, isWhole) => {
    const { goOn } = halfMade();
    const leaving = await aServiceUser(world, 'IAM_OWNER');
    const response = await open(leaving, path, body);
    expect(response.statusCode).toBe(200);
    const read = readAll(response);
    await api.sql.query(change, [leaving.userId]);
    // who asks is looked at once a second
    await wait(1_100);
    goOn();
    const { text, isWhole: cameWhole } = await read;
    expect(cameWhole).toBe(isWhole);
    expect(text.includes(LATER)).toBe(isWhole);
  });
});

describe('S373 downloads at the same time', () => {
  it('of everything are one of each caller and two in all, and give their place back', async () => {
    const { goOn } = halfMade();
    const callers = [
      await aServiceUser(world, 'IAM_OWNER'),
      await aServiceUser(world, 'IAM_OWNER'),
      await aServiceUser(world, 'IAM_OWNER'),
    ] as const;
    const status = async (caller: ServiceUser) => {
      const response = await open(caller, EXPORT, {});
      response.resume();
      return response.statusCode;
    };
    const first = await open(callers[0], EXPORT, {});
    expect(await status(callers[0])).toBe(429);
    const second = await open(callers[1], EXPORT, {});
    expect(await status(callers[2])).toBe(429);
    first.destroy();
    goOn();
    second.resume();
    await expect.poll(() => status(callers[2])).toBe(200);
    await expect.poll(() => status(callers[1])).toBe(200);
  });

  it('of results are two of each caller', async () => {
    const { goOn } = halfMade();
    const caller = await aServiceUser(world, 'IAM_OWNER');
    const [first, second] = [await open(caller, RESULTS), await open(caller, RESULTS)];
    const third = await open(caller, RESULTS);
    expect([first.statusCode, second.statusCode, third.statusCode]).toEqual([200, 200, 429]);
    third.resume();
    first.destroy();
    goOn();
    second.resume();
    await expect
      .poll(async () => {
        const again = await open(caller, RESULTS);
        again.resume();
        return again.statusCode;
      })
      .toBe(200);
  });
});
