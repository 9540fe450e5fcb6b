import { beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { Authenticator } from '../../support/authenticator.js';
import { given } from '../../support/given.js';
import { human, ImportEngine } from '../../support/import-engine.js';
import { anOrganization, useWorld } from '../../support/world.js';

let owner: UserId;

const { api, world } = useWorld();
const engine = given(() => new ImportEngine(api));
beforeAll(async () => {
  owner = await engine.addImporter(world.orgId);
});

async function rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await api.sql.query<Row>(text, values)).rows;
}

async function stateOf(id: string): Promise<string | undefined> {
  return (await rows<{ state: string }>('SELECT state FROM users WHERE id = $1', [id]))[0]?.state;
}

describe('passkeys of a file', () => {
  const HERE = { origin: 'https://id.test', rpId: 'id.test' };
  const passkeysOf = async (id: string) =>
    await rows<Record<string, unknown>>(
      `SELECT name, sign_count, transports, passwordless, backed_up, created_at, last_used_at, link_made_by,
         imported_at IS NOT NULL AS imported FROM passkeys WHERE user_id = $1 ORDER BY name`,
      [id],
    );
  const someone = (id: string, passkeys: readonly object[], changes: object = {}) =>
    human(id, { userId: id, passkeys, ...changes });

  it('come along with all that is kept of them, and are as good as a password', async () => {
    const key = new Authenticator(HERE);
    key.signCount = 7;
    const times = { createdAt: '2024-01-02T03:04:05Z', lastUsedAt: '2025-01-02T03:04:05Z' };
    const job = await engine.import(
      world.orgId,
      owner,
      [
        someone('keys-1', [key.exported(times)], { hashedPassword: undefined }),
        someone('keys-2', [new Authenticator(HERE).exported({ passwordless: false })], {
          hashedPassword: undefined,
        }),
      ],
      { notify: 'deferred' },
    );
    expect(job.counts).toMatchObject({ created: 2, failed: 0, passkeys: 2, foreignPasskeys: 0, held: 1 });
    expect(await passkeysOf('keys-1')).toEqual([
      {
        name: 'Phone',
        sign_count: '7',
        transports: ['internal'],
        passwordless: true,
        backed_up: true,
        created_at: new Date(times.createdAt),
        last_used_at: new Date(times.lastUsedAt),
        link_made_by: owner,
        imported: true,
      },
    ]);
    expect(await stateOf('keys-1')).toBe('active');
    // one that stands in for nothing alone leaves its user without a way in
    expect(await stateOf('keys-2')).toBe('initial');
    const [{ fields } = {}] = await rows<{ fields: string[] }>(
      `SELECT fields FROM events WHERE aggregate_id = 'keys-1' AND type = 'user.human.imported'`,
    );
    expect(fields).toContain('passkeys');
    const ask = { orgId: world.orgId, jobId: job.id, actorId: owner, through: null };
    await engine.transaction(async (tx) => await engine.steer.notify(tx, ask));
    await engine.drain();
    const mailed = await rows<{ user_id: string; template: string }>(
      `SELECT user_id, template FROM notifications WHERE user_id IN ('keys-1', 'keys-2')`,
    );
    expect(mailed).toEqual([{ user_id: 'keys-2', template: 'initialise' }]);
  });

  it('for another relying party are left out, counted, and named in the results', async () => {
    const foreign = new Authenticator({ origin: 'https://old.test', rpId: 'old.test' });
    const records = [
      someone('keys-3', [new Authenticator(HERE).exported(), foreign.exported()]),
      someone('keys-4', [new Authenticator({ origin: 'https://old.test', rpId: 'old.test' }).exported()], {
        hashedPassword: undefined,
      }),
    ];
    for (const dryRun of [true, false]) {
      const job = await engine.import(world.orgId, owner, records, { dryRun });
      expect(job.counts).toMatchObject({ created: 2, failed: 0, passkeys: 1, foreignPasskeys: 2 });
      const fault = {
        outcome: 'created',
        code: 'left_out',
        path: 'passkeys',
        message: '1 passkey is for another relying-party id and left out',
      };
      expect(await engine.outcomes(job)).toMatchObject([fault, fault]);
    }
    expect(await passkeysOf('keys-3')).toHaveLength(1);
    expect(await passkeysOf('keys-4')).toEqual([]);
    expect(await stateOf('keys-4')).toBe('initial');
  });

  it('that somebody has, here or in another organization, or that the file has twice fail their record alone', async () => {
    const [mine, theirs, twice] = [new Authenticator(HERE), new Authenticator(HERE), new Authenticator(HERE)];
    const elsewhere = await anOrganization(api);
    const other = await engine.addImporter(elsewhere.orgId);
    await engine.import(world.orgId, owner, [someone('keys-5', [mine.exported()])]);
    await engine.import(elsewhere.orgId, other, [someone('keys-6', [theirs.exported()])]);
    const records = [
      someone('keys-7', [new Authenticator(HERE).exported(), mine.exported()]),
      someone('keys-8', [theirs.exported()]),
      someone('keys-9', [twice.exported()]),
      someone('keys-10', [twice.exported()]),
      someone('keys-11', [new Authenticator(HERE).exported()]),
    ];
    const exists = { outcome: 'failed', code: 'already_exists', path: 'passkeys' };
    const duplicate = { outcome: 'failed', code: 'duplicate', path: 'passkeys' };
    for (const dryRun of [true, false]) {
      const job = await engine.import(world.orgId, owner, records, { dryRun });
      expect(job.counts).toMatchObject({ created: 2, failed: 3, passkeys: 2 });
      const outcomes = await engine.outcomes(job);
      expect(outcomes).toMatchObject([
        exists,
        exists,
        { outcome: 'created' },
        duplicate,
        { outcome: 'created' },
      ]);
    }
    const half = await rows(`SELECT id FROM users WHERE id IN ('keys-7', 'keys-8', 'keys-10')`);
    expect(half).toEqual([]);
    // in chunks of their own, too
    const again = new Authenticator(HERE);
    const apart = [someone('keys-12', [again.exported()]), someone('keys-13', [again.exported()])];
    const tried = await engine.import(world.orgId, owner, apart, { dryRun: true }, 1);
    expect(await engine.outcomes(tried)).toMatchObject([{ outcome: 'created' }, exists]);
    const done = await engine.import(world.orgId, owner, apart, {}, 1);
    expect(await engine.outcomes(done)).toMatchObject([{ outcome: 'created' }, exists]);
  });

  it('are added to somebody who is there where passwords are replaced, each once, and told by mail', async () => {
    const [first, second] = [new Authenticator(HERE), new Authenticator(HERE)];
    await engine.import(world.orgId, owner, [someone('keys-14', [first.exported()])]);
    const both = someone('keys-14', [first.exported({ name: 'Other' }), second.exported({ name: 'Stick' })], {
      hashedPassword: undefined,
    });
    const left = await engine.import(world.orgId, owner, [both], { mode: 'upsert' });
    expect(left.counts).toMatchObject({ skipped: 1, passkeys: 0 });
    const replacing = { mode: 'upsert', updatePasswords: true, notify: 'now' } as const;
    const job = await engine.import(world.orgId, owner, [both], replacing);
    expect(job.counts).toMatchObject({ updated: 1, passkeys: 1 });
    expect((await passkeysOf('keys-14')).map(({ name }) => name)).toEqual(['Phone', 'Stick']);
    const told = await rows<{ template: string }>(
      `SELECT template FROM notifications WHERE user_id = 'keys-14'`,
    );
    expect(told).toEqual([{ template: 'passkey_added' }]);
    const again = await engine.import(world.orgId, owner, [both], replacing);
    expect(again.counts).toMatchObject({ skipped: 1, passkeys: 0 });
    // nobody takes another's by an update
    const thief = someone('keys-1', [second.exported()]);
    const theft = await engine.import(world.orgId, owner, [thief], replacing);
    expect(await engine.outcomes(theft)).toMatchObject([{ code: 'already_exists', path: 'passkeys' }]);
  });

  it('are fifty of a user at most', async () => {
    const some = (count: number) => Array.from({ length: count }, () => new Authenticator(HERE).exported());
    await engine.import(world.orgId, owner, [someone('keys-15', some(49))]);
    const more = [someone('keys-15', some(2)), someone('keys-5', some(2))];
    const job = await engine.import(world.orgId, owner, more, { mode: 'upsert', updatePasswords: true });
    expect(await engine.outcomes(job)).toMatchObject([
      { outcome: 'failed', code: 'refused', path: 'passkeys' },
      { outcome: 'updated' },
    ]);
    expect(await passkeysOf('keys-15')).toHaveLength(49);
  });
});
