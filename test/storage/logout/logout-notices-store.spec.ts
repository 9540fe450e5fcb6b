import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClientRegistrationSettings } from '../../../src/domain/client-registration/client-registration-settings.js';
import type { ClaimedLogoutNotice } from '../../../src/domain/logout/logout-notices.store.js';
import type { ApplicationId, LogoutNoticeId, OrgId } from '../../../src/domain/shared/ids.js';
import { PgLogoutNoticesStore } from '../../../src/storage/postgres/logout/logout-notices.store.js';
import { Seed } from '../authorizations/seed.js';

const HOLD_MS = 15_000;
const OPEN: Partial<ClientRegistrationSettings> = { mode: 'open', documents: true };

let seed: Seed;
let store: PgLogoutNoticesStore;
let orgId: OrgId;
let application: ApplicationId;
let counter = 0;

beforeAll(async () => {
  seed = await Seed.open();
  store = new PgLogoutNoticesStore(seed.sql, OPEN as ClientRegistrationSettings);
  orgId = await seed.organization();
  application = await seed.application(orgId, await seed.project(orgId));
  await seed.pool.query(`UPDATE applications SET back_channel_logout_uri = 'https://rp.test/out'`);
});
afterAll(() => seed.close());

const enqueue = () =>
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
    const id = await enqueue();
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

  it('names the algorithm that the application asked for, and its profile, which may know better', async () => {
    await seed.pool.query(`UPDATE applications SET id_token_algorithm = 'RS256'`);
    expect(await claim(await enqueue())).toMatchObject({
      idTokenAlgorithm: 'RS256',
      securityProfile: 'none',
    });
    await seed.pool.query(`UPDATE applications SET dev_mode = true`);
    expect(await claim(await enqueue())).toMatchObject({ devMode: true });
    // nobody is called in clear (S499)
    await seed.pool.query(`UPDATE applications SET security_profile = 'fapi2'`);
    expect(await claim(await enqueue())).toMatchObject({ securityProfile: 'fapi2', devMode: false });
    await seed.pool.query(
      `UPDATE applications SET security_profile = 'none', id_token_algorithm = NULL, dev_mode = false`,
    );
  });

  it('is free again when its worker is gone, who can write nothing any more', async () => {
    const id = await enqueue();
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
    const id = await enqueue();
    expect(await store.release(await claim(id), 'http_503')).toBe(true);
    expect(await claim(id)).toMatchObject({ attempts: 2, lastError: 'http_503' });
  });

  it('stays abandoned', async () => {
    const id = await enqueue();
    const notice = await claim(id);
    await seed.unitOfWork.run((tx) => store.markAbandoned(tx, notice, 'http_400', 'answered'));
    expect(await store.claim(id, HOLD_MS)).toEqual({ kind: 'finished' });
    expect(await seed.value(`SELECT last_error FROM logout_notices WHERE id = $1`, [id])).toBe('http_400');
  });

  it('tells what changed since the session ended', async () => {
    const [first, second] = [await enqueue(), await enqueue()];
    await seed.pool.query(`UPDATE projects SET state = 'inactive'`);
    expect(await claim(first)).toMatchObject({ applicationActive: false });
    await seed.pool.query(`UPDATE projects SET state = 'active'`);
    await seed.pool.query(`UPDATE applications SET back_channel_logout_uri = NULL`);
    expect(await claim(second)).toMatchObject({ applicationActive: true, uri: null });
  });

  it('is not for a client whose kind the instance takes no more (S504)', async () => {
    await seed.pool.query(`UPDATE applications SET back_channel_logout_uri = 'https://rp.test/out'`);
    const byToken = new PgLogoutNoticesStore(seed.sql, {
      ...OPEN,
      mode: 'token',
    } as ClientRegistrationSettings);
    for (const [registration, applicationActive] of [
      ['anyone', false],
      ['initial_access_token', true],
    ] as const) {
      await seed.pool.query(`UPDATE applications SET registration = $1`, [registration]);
      expect(await claim(await enqueue())).toMatchObject({ applicationActive: true });
      const shut = await byToken.claim(await enqueue(), HOLD_MS);
      expect(shut).toMatchObject({ kind: 'claimed', notice: { applicationActive } });
    }
    await seed.pool.query(`UPDATE applications SET registration = NULL`);
  });

  it('that is not there is finished', async () => {
    expect(await store.claim('0' as LogoutNoticeId, HOLD_MS)).toEqual({ kind: 'finished' });
  });
});

describe('an endpoint that does not answer', () => {
  const failing = async (times: number) => {
    for (let n = 0; n < times; n += 1) await store.release(await claim(await enqueue()), 'timeout');
  };
  const shut = async () => {
    const result = await store.claim(await enqueue(), HOLD_MS);
    return result.kind === 'busy' ? result.retryInMs : undefined;
  };
  beforeEach(async () => {
    await seed.pool.query(`DELETE FROM logout_notices`);
    await seed.pool.query(`DELETE FROM logout_endpoints`);
    await seed.pool.query(`UPDATE applications SET back_channel_logout_uri = 'https://rp.test/out'`);
  });

  it('is left alone after five failures, and tried by one of all that wait when its pause is over', async () => {
    await failing(4);
    expect(await shut()).toBeUndefined();
    await failing(1);
    expect(await shut()).toBeGreaterThan(20_000);
    await seed.advance(31);
    const ids = await Promise.all(Array.from({ length: 8 }, enqueue));
    const results = await Promise.all(ids.map((id) => store.claim(id, HOLD_MS)));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual([...Array(7).fill('busy'), 'claimed']);
    const tried = results.find((result) => result.kind === 'claimed');
    if (tried?.kind !== 'claimed') throw new Error('one is claimed');
    expect(tried.notice.givenUp).toBe(false);
    await store.release(tried.notice, 'timeout');
    // twice as long as before
    expect(await shut()).toBeGreaterThan(50_000);
  });

  it('is open to all again with the first notice that it takes, or refuses for good', async () => {
    for (const answer of ['delivered', 'refused']) {
      await failing(5);
      await seed.advance(31);
      const notice = await claim(await enqueue());
      if (answer === 'delivered') await markDelivered(notice);
      else await seed.unitOfWork.run((tx) => store.markAbandoned(tx, notice, 'status_400', 'answered'));
      expect(await shut()).toBeUndefined();
    }
  });

  it('is another one when the application names another', async () => {
    await failing(5);
    await seed.pool.query(`UPDATE applications SET back_channel_logout_uri = 'https://rp.test/other'`);
    await failing(4);
    expect(await shut()).toBeUndefined();
  });

  const silentFor = async (hours: number) => {
    await seed.pool.query(
      `UPDATE logout_endpoints
       SET failing_since = app_now() - make_interval(hours => $1), next_try_at = app_now() + interval '1 min'`,
      [hours],
    );
  };
  const kindOf = async (id: LogoutNoticeId) => (await store.claim(id, HOLD_MS)).kind;

  it('is waited for by what was tried for three hours of silence, and after a day not at all', async () => {
    const tried = await enqueue();
    await store.release(await claim(tried), 'timeout');
    await failing(4);
    await seed.advance(3 * 3600 - 60);
    await silentFor(2);
    expect(await kindOf(tried)).toBe('busy');
    await seed.advance(61);
    await silentFor(4);
    expect((await claim(tried)).givenUp).toBe(true);
  });

  it('gets what was never tried, however long a backlog or the pauses kept it (security S392)', async () => {
    const old = await enqueue();
    await seed.advance(4 * 3600);
    await failing(5);
    expect(await kindOf(old)).toBe('busy');
    await silentFor(23);
    expect(await kindOf(old)).toBe('busy');
    await seed.advance(61);
    const probe = await claim(old);
    expect(probe.givenUp).toBe(false);
    await markDelivered(probe);
  });

  it('is not waited for after a day, once it has had its try', async () => {
    await failing(5);
    await silentFor(25);
    const late = await enqueue();
    expect(await kindOf(late)).toBe('busy');
    await seed.advance(901);
    await silentFor(25);
    expect((await claim(late)).givenUp).toBe(true);
    await seed.advance(61);
    // the one that sees whether it answers again
    expect((await claim(await enqueue())).givenUp).toBe(false);
  });
});
