import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimedLogoutNotice } from '../../../src/domain/logout/logout-notices.store.js';
import type { ApplicationId, LogoutNoticeId, OrgId } from '../../../src/domain/shared/ids.js';
import { PgLogoutNoticesStore } from '../../../src/storage/postgres/pg-logout-notices.store.js';
import { Seed } from '../grants/seed.js';

const HOLD_MS = 15_000;

let seed: Seed;
let store: PgLogoutNoticesStore;
let orgId: OrgId;
let application: ApplicationId;
let counter = 0;

beforeAll(async () => {
  seed = await Seed.open();
  store = new PgLogoutNoticesStore(seed.sql);
  orgId = await seed.organization();
  application = await seed.application(orgId, await seed.project(orgId));
  await seed.pool.query(`UPDATE applications SET back_channel_logout_uri = 'https://rp.test/out'`);
});
afterAll(() => seed.close());

const owe = () =>
  seed.value<LogoutNoticeId>(
    `INSERT INTO logout_notices (org_id, user_id, session_id, application_id) VALUES ($1, 'u', $2, $3) RETURNING id`,
    [orgId, `s${(counter += 1)}`, application],
  );

async function claim(id: LogoutNoticeId): Promise<ClaimedLogoutNotice> {
  const result = await store.claim(id, HOLD_MS);
  if (result.kind !== 'claimed') throw new Error(result.kind);
  return result.notice;
}

const markDelivered = (notice: ClaimedLogoutNotice) =>
  seed.unitOfWork.run((tx) => store.markDelivered(tx, notice));

describe('a logout notice', () => {
  it('is claimed by one of eight at once, who learns what the delivery needs', async () => {
    const id = await owe();
    const results = await Promise.all(Array.from({ length: 8 }, () => store.claim(id, HOLD_MS)));
    const won = results.filter((result) => result.kind === 'claimed');
    expect(won).toHaveLength(1);
    expect(won[0]?.notice).toMatchObject({
      id,
      fence: '1',
      attempts: 1,
      lastError: null,
      orgId,
      userId: 'u',
      applicationActive: true,
      devMode: false,
      clockSkewSeconds: 0,
      uri: 'https://rp.test/out',
    });
    const busy = results.flatMap((result) => (result.kind === 'busy' ? [result.retryInMs] : []));
    expect(busy).toHaveLength(7);
    for (const wait of busy) expect(wait).toBeLessThanOrEqual(HOLD_MS);
  });

  it('is free again when its worker is gone, who can write nothing any more', async () => {
    const id = await owe();
    const dead = await claim(id);
    await seed.advance(16);
    const alive = await claim(id);
    expect(alive).toMatchObject({ fence: '2', attempts: 2 });
    expect(await markDelivered(dead)).toBe(false);
    expect(await store.release(dead, 'late')).toBe(false);
    expect(await markDelivered(alive)).toBe(true);
    expect(await store.claim(id, HOLD_MS)).toEqual({ kind: 'finished' });
  });

  it('is free at once when it is given back, with the reason', async () => {
    const id = await owe();
    expect(await store.release(await claim(id), 'http_503')).toBe(true);
    expect(await claim(id)).toMatchObject({ attempts: 2, lastError: 'http_503' });
  });

  it('stays abandoned', async () => {
    const id = await owe();
    const notice = await claim(id);
    await seed.unitOfWork.run((tx) => store.markAbandoned(tx, notice, 'http_400'));
    expect(await store.claim(id, HOLD_MS)).toEqual({ kind: 'finished' });
    expect(await seed.value(`SELECT last_error FROM logout_notices WHERE id = $1`, [id])).toBe('http_400');
  });

  it('tells what changed since the session ended', async () => {
    const [first, second] = [await owe(), await owe()];
    await seed.pool.query(`UPDATE projects SET state = 'inactive'`);
    expect(await claim(first)).toMatchObject({ applicationActive: false });
    await seed.pool.query(`UPDATE projects SET state = 'active'`);
    await seed.pool.query(`UPDATE applications SET back_channel_logout_uri = NULL`);
    expect(await claim(second)).toMatchObject({ applicationActive: true, uri: null });
  });

  it('that is not there is finished', async () => {
    expect(await store.claim('0' as LogoutNoticeId, HOLD_MS)).toEqual({ kind: 'finished' });
  });
});
