import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  CodeRedemption,
  NewAuthorization,
  NewCode,
  RefreshRotation,
  VerifiedAuthorization,
} from '../../../src/domain/authorizations/authorizations.store.js';
import type {
  ApplicationId,
  AuthorizationId,
  OrgId,
  SessionId,
  UserId,
} from '../../../src/domain/shared/ids.js';
import { randomToken, sha256 } from '../../../src/domain/shared/random.js';
import { PgAuthorizationsStore } from '../../../src/storage/postgres/authorizations/authorizations.store.js';
import { Seed } from './seed.js';

const REDIRECT_URI = 'https://rp.test/cb';

let seed: Seed;
let store: PgAuthorizationsStore;
let orgId: OrgId;
let projectId: string;
let applicationId: ApplicationId;

beforeAll(async () => {
  seed = await Seed.open();
  store = new PgAuthorizationsStore(seed.sql);
  orgId = await seed.organization();
  projectId = await seed.project(orgId);
  applicationId = await seed.application(orgId, projectId);
});
afterAll(() => seed.close());

interface Opened {
  readonly authorizationId: AuthorizationId;
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly opened: VerifiedAuthorization | undefined;
  readonly redemption: CodeRedemption;
}

async function open(
  changes: Partial<NewAuthorization> & { readonly codeChallenge?: string } = {},
  before?: (opened: NewAuthorization) => Promise<unknown>,
): Promise<Opened> {
  const userId = changes.userId ?? (await seed.user(orgId));
  const sessionId = changes.sessionId ?? (await seed.session(orgId, userId));
  const { codeChallenge = null, ...grantChanges } = changes;
  const code: NewCode = {
    hash: sha256(randomToken(32)),
    seconds: 60,
    challenge: codeChallenge,
    redirectUri: REDIRECT_URI,
    dpopJkt: null,
  };
  const grant: NewAuthorization = {
    id: randomToken(16) as AuthorizationId,
    orgId,
    userId,
    applicationId,
    sessionId,
    scopes: ['openid', 'offline_access'],
    audience: [projectId],
    nonce: 'n',
    acr: ['urn:test:password', 'urn:test:multi-factor', 'urn:test:passkey'],
    claims: null,
    code,
    ...grantChanges,
  };
  await before?.(grant);
  const opened = await seed.unitOfWork.run((tx) => store.open(tx, grant));
  const firstRefreshToken = {
    hash: sha256(randomToken(32)),
    idleSeconds: 100,
    absoluteSeconds: 1000,
    confirmation: null,
  };
  const redemption = {
    codeHash: code.hash,
    applicationId,
    redirectUri: REDIRECT_URI,
    codeChallenge,
    confirmation: null,
    firstRefreshToken,
  };
  return { authorizationId: grant.id, userId, sessionId, opened, redemption };
}

const count = (table: string, authorizationId: AuthorizationId) =>
  seed.value<number>(`SELECT count(*)::int FROM ${table} WHERE authorization_id = $1`, [authorizationId]);

describe('opening a grant', () => {
  it('keeps what was granted, and of the audience what exists and is ours to name', async () => {
    const dormant = await seed.project(orgId);
    await seed.pool.query(`UPDATE projects SET state = 'inactive' WHERE id = $1`, [dormant]);
    const foreign = await seed.project(await seed.organization());
    const { opened, redemption, authorizationId, userId, sessionId } = await open({
      audience: [projectId, foreign, dormant, 'nowhere', projectId],
    });
    expect(opened).toMatchObject({ authorizationId, sessionId, audience: [projectId], nonce: 'n' });
    const authorization = await store.redeemCode(redemption);
    expect(authorization).toEqual({
      authorizationId,
      userId,
      sessionId,
      subjectEpoch: 0,
      scopes: ['openid', 'offline_access'],
      audience: [projectId],
      authTime: expect.any(Number) as number,
      amr: ['pwd'],
      acr: 'urn:test:password',
      nonce: 'n',
      idTokenClaims: [],
    });
    expect(authorization).toEqual(opened);
    // never a second ahead of the tokens' own clock
    expect(Number.isInteger(authorization?.authTime)).toBe(true);
    expect(authorization?.authTime).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it.each<[string, (grant: NewAuthorization) => Promise<unknown>]>([
    [
      'the session has ended',
      (grant) =>
        seed.pool.query(`UPDATE sessions SET ended_at = app_now(), end_reason = 'x' WHERE id = $1`, [
          grant.sessionId,
        ]),
    ],
    [
      'the user was shut out since the sign-in',
      (grant) =>
        seed.pool.query(`UPDATE users SET token_epoch = token_epoch + 1 WHERE id = $1`, [grant.userId]),
    ],
    [
      'the user is not active',
      (grant) => seed.pool.query(`UPDATE users SET state = 'inactive' WHERE id = $1`, [grant.userId]),
    ],
  ])('writes nothing when %s', async (_name, happen) => {
    const { opened, authorizationId, redemption } = await open({}, happen);
    expect(opened).toBeUndefined();
    expect(
      await seed.value(`SELECT count(*)::int FROM authorizations WHERE id = $1`, [authorizationId]),
    ).toBe(0);
    expect(await store.findCode(redemption.codeHash)).toBeUndefined();
  });

  it('writes nothing for a session of somebody else', async () => {
    const victim = await seed.user(orgId);
    const { opened } = await open({
      userId: await seed.user(orgId),
      sessionId: await seed.session(orgId, victim),
    });
    expect(opened).toBeUndefined();
  });

  it('without a code leaves the codes of the session alone', async () => {
    const first = await open();
    for (let n = 0; n < 11; n += 1) {
      const { opened, authorizationId } = await open({
        userId: first.userId,
        sessionId: first.sessionId,
        code: null,
      });
      expect(opened?.authorizationId).toBe(authorizationId);
      expect(await count('codes', authorizationId)).toBe(0);
    }
    expect(await store.redeemCode(first.redemption)).toBeDefined();
  });

  it('gives no password class to a session that began otherwise', async () => {
    const userId = await seed.user(orgId);
    const sessionId = await seed.session(orgId, userId);
    await seed.pool.query(`UPDATE sessions SET amr = '{otp}' WHERE id = $1`, [sessionId]);
    const { opened } = await open({ userId, sessionId });
    expect(opened).toMatchObject({ amr: ['otp'] });
    expect(opened).not.toHaveProperty('acr');
  });

  it('keeps the claims that were asked for, for every token of the grant', async () => {
    const claims = { userinfo: ['name'], idToken: ['email', 'phone_number'] };
    const { opened, redemption } = await open({ claims });
    expect(opened?.idTokenClaims).toEqual(claims.idToken);
    expect((await store.redeemCode(redemption))?.idTokenClaims).toEqual(claims.idToken);
    const next = sha256(randomToken(32));
    const rotated = await store.rotate({
      hash: redemption.firstRefreshToken?.hash ?? Buffer.alloc(0),
      applicationId,
      scopes: null,
      successorHash: next,
      successorSealed: null,
      idleSeconds: 100,
      confirmation: null,
    });
    expect(rotated?.idTokenClaims).toEqual(claims.idToken);
    expect((await store.findRefreshToken(next))?.authorization.idTokenClaims).toEqual(claims.idToken);
  });

  it('leaves a session ten live codes, the newest', async () => {
    const userId = await seed.user(orgId);
    const sessionId = await seed.session(orgId, userId);
    const grants: Opened[] = [];
    for (let n = 0; n < 13; n += 1) grants.push(await open({ userId, sessionId }));
    const good = await Promise.all(grants.map(({ redemption }) => store.redeemCode(redemption)));
    expect(good.map((authorization) => authorization !== undefined)).toEqual([
      ...Array.from({ length: 3 }, () => false),
      ...Array.from({ length: 10 }, () => true),
    ]);
  });
});

describe('redeeming a code', () => {
  it('succeeds for one of eight at once, and starts one family', async () => {
    const { redemption, authorizationId } = await open();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        store.redeemCode({
          ...redemption,
          firstRefreshToken: {
            hash: sha256(randomToken(32)),
            idleSeconds: 1,
            absoluteSeconds: 1,
            confirmation: null,
          },
        }),
      ),
    );
    expect(outcomes.filter((authorization) => authorization !== undefined)).toHaveLength(1);
    expect(await count('refresh_token_families', authorizationId)).toBe(1);
    expect(await count('refresh_tokens', authorizationId)).toBe(1);
    expect(await store.findCode(redemption.codeHash)).toMatchObject({ used: true, expired: false });
  });

  it('is undone with the family that began, and succeeds once again', async () => {
    const { redemption, authorizationId } = await open();
    await store.redeemCode(redemption);
    await store.undoRedemption(redemption.codeHash);
    expect(await count('refresh_token_families', authorizationId)).toBe(0);
    expect(await store.findCode(redemption.codeHash)).toMatchObject({ used: false });
    expect(await store.redeemCode(redemption)).toBeDefined();
    expect(await store.redeemCode(redemption)).toBeUndefined();
    expect(await count('refresh_tokens', authorizationId)).toBe(1);
  });

  it.each<[string, Partial<CodeRedemption>]>([
    ['another application', { applicationId: 'other' as ApplicationId }],
    ['another redirect URI', { redirectUri: 'https://rp.test/' }],
    ['a challenge where none was', { codeChallenge: 'x' }],
    ['an unknown code', { codeHash: sha256('x') }],
  ])('fails for %s, and uses nothing up', async (_name, changes) => {
    const { redemption } = await open();
    expect(await store.redeemCode({ ...redemption, ...changes })).toBeUndefined();
    expect(await store.redeemCode(redemption)).toBeDefined();
  });

  it('fails for a missing or another challenge', async () => {
    const { redemption } = await open({ codeChallenge: 'right' });
    for (const codeChallenge of [null, 'wrong', 'RIGHT', '']) {
      expect(await store.redeemCode({ ...redemption, codeChallenge })).toBeUndefined();
    }
    expect(await store.redeemCode(redemption)).toBeDefined();
  });

  it('starts no family without offline_access, or where the application may not refresh', async () => {
    const online = await open({ scopes: ['openid'] });
    await store.redeemCode(online.redemption);
    const code = await open();
    await store.redeemCode({ ...code.redemption, firstRefreshToken: null });
    for (const { authorizationId } of [online, code])
      expect(await count('refresh_token_families', authorizationId)).toBe(0);
  });

  it.each([
    ['session', `UPDATE sessions SET ended_at = app_now(), end_reason = 'x' WHERE id = $2`],
    ['user', `UPDATE users SET state = 'locked' WHERE id = $1`],
    ['epoch', `UPDATE users SET token_epoch = 9 WHERE id = $1`],
  ])('fails once the %s is not what it was', async (_name, statement) => {
    const { redemption, userId, sessionId } = await open();
    const id: string = statement.includes('$2') ? sessionId : userId;
    await seed.pool.query(statement.replace('$2', '$1'), [id]);
    expect(await store.redeemCode(redemption)).toBeUndefined();
  });
});

describe('rotating a refresh token', () => {
  async function family(): Promise<{ authorizationId: AuthorizationId; userId: UserId; hash: Buffer }> {
    const { redemption, authorizationId, userId } = await open();
    await store.redeemCode(redemption);
    return { authorizationId, userId, hash: redemption.firstRefreshToken?.hash ?? Buffer.alloc(0) };
  }

  const rotation = (hash: Buffer, scopes: readonly string[] | null = null) => ({
    hash,
    applicationId,
    scopes,
    successorHash: sha256(randomToken(32)),
    successorSealed: Buffer.from('sealed'),
    idleSeconds: 100,
    confirmation: null,
  });

  it('succeeds for one of eight at once, and leaves one unused token', async () => {
    const { hash, authorizationId } = await family();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => store.rotate(rotation(hash))));
    expect(outcomes.filter((authorization) => authorization !== undefined)).toHaveLength(1);
    expect(await count('refresh_tokens', authorizationId)).toBe(2);
    const record = await store.findRefreshToken(hash);
    expect(record).toMatchObject({ used: true, alive: true, successorUsed: false });
    expect(record?.usedSecondsAgo).toBeGreaterThanOrEqual(0);
  });

  it('knows that the successor was used', async () => {
    const { hash } = await family();
    const first = rotation(hash);
    await store.rotate(first);
    await store.rotate(rotation(first.successorHash));
    expect(await store.findRefreshToken(hash)).toMatchObject({ used: true, successorUsed: true });
  });

  it('is undone until its successor is used, or while somebody else has it', async () => {
    const { hash, authorizationId } = await family();
    const undone = rotation(hash);
    await store.rotate(undone);
    await store.undoRotation(hash, undone.successorHash);
    expect(await store.findRefreshToken(hash)).toMatchObject({ used: false });
    expect(await store.handOutAgain(undone.successorHash)).toBe(false);
    const told = rotation(hash);
    await store.rotate(told);
    expect(await store.handOutAgain(told.successorHash)).toBe(true);
    await store.undoRotation(hash, told.successorHash);
    const used = rotation(told.successorHash);
    await store.rotate(used);
    await store.rotate(rotation(used.successorHash));
    await store.undoRotation(told.successorHash, used.successorHash);
    for (const one of [hash, told.successorHash, used.successorHash]) {
      expect(await store.findRefreshToken(one)).toMatchObject({ used: true });
    }
    expect(await count('refresh_tokens', authorizationId)).toBe(4);
  });

  it('is undone once none of those who got its successor has it any more, in whatever order they give it up', async () => {
    const { hash, authorizationId } = await family();
    for (const gaveUp of [1, 7, 8]) {
      const rotated = rotation(hash);
      await store.rotate(rotated);
      for (let retry = 0; retry < 7; retry += 1) await store.handOutAgain(rotated.successorHash);
      await Promise.all(
        Array.from({ length: gaveUp }, () => store.undoRotation(hash, rotated.successorHash)),
      );
      expect(await store.findRefreshToken(hash)).toMatchObject({ used: gaveUp < 8 });
      for (let left = gaveUp; left < 8; left += 1) await store.undoRotation(hash, rotated.successorHash);
      expect(await store.findRefreshToken(hash)).toMatchObject({ used: false });
    }
    expect(await count('refresh_tokens', authorizationId)).toBe(1);
  });

  it('may be retried for as long as after a lost answer, each time that somebody has given up its successor', async () => {
    const { hash } = await family();
    const rotated = rotation(hash);
    await store.rotate(rotated);
    await store.handOutAgain(rotated.successorHash);
    await change(`UPDATE refresh_tokens SET used_at = app_now() - interval '9 s' WHERE hash = $1`, hash);
    await store.undoRotation(hash, rotated.successorHash);
    const { used, usedSecondsAgo } = (await store.findRefreshToken(hash)) ?? {};
    expect([used, Math.round(usedSecondsAgo ?? 9)]).toEqual([true, 0]);
  });

  it('is not undone where a process of the release before has handed its successor out', async () => {
    const { hash } = await family();
    const rotated = rotation(hash);
    await store.rotate(rotated);
    await change('UPDATE refresh_tokens SET retried_at = app_now() WHERE hash = $1', rotated.successorHash);
    await store.undoRotation(hash, rotated.successorHash);
    expect(await store.findRefreshToken(hash)).toMatchObject({ used: true });
    // one of this release retries after it, and gives it up with the one that rotated
    await store.handOutAgain(rotated.successorHash);
    for (let gaveUp = 0; gaveUp < 2; gaveUp += 1) await store.undoRotation(hash, rotated.successorHash);
    expect(await store.findRefreshToken(hash)).toMatchObject({ used: true });
  });

  async function change(text: string, hash: Buffer): Promise<void> {
    await seed.sql.change({ name: '', text }, [hash]);
  }

  it('takes a subset of the scopes only', async () => {
    const { hash } = await family();
    expect(await store.rotate(rotation(hash, ['openid', 'email']))).toBeUndefined();
    const authorization = await store.rotate(rotation(hash, ['openid']));
    expect(authorization?.scopes).toEqual(['openid', 'offline_access']);
    expect(authorization).not.toHaveProperty('nonce');
  });

  it('fails for another application', async () => {
    const { hash } = await family();
    const other = { ...rotation(hash), applicationId: 'other' as ApplicationId };
    expect(await store.rotate(other)).toBeUndefined();
  });

  it('fails once the grant is revoked, which is written down once', async () => {
    const { hash, authorizationId } = await family();
    const revoked = await Promise.all(Array.from({ length: 8 }, () => store.revoke(authorizationId, 'test')));
    expect(revoked.filter(Boolean)).toHaveLength(1);
    expect(await store.rotate(rotation(hash))).toBeUndefined();
    expect(await store.findRefreshToken(hash)).toMatchObject({ used: false, alive: false });
    const events = await seed.value(
      `SELECT count(*)::int FROM events WHERE aggregate_id = $1 AND type = 'grant.revoked'`,
      [authorizationId],
    );
    expect(events).toBe(1);
  });

  it('goes on without the session, and does not name it any more', async () => {
    const { hash, userId } = await family();
    await seed.pool.query(`UPDATE sessions SET ended_at = app_now(), end_reason = 'x' WHERE user_id = $1`, [
      userId,
    ]);
    expect(await store.rotate(rotation(hash))).not.toHaveProperty('sessionId');
  });

  it('fails after the idle and after the absolute lifetime', async () => {
    const idle = await family();
    const used = await family();
    // 100 s idle, 1000 s in all: used every 80 s it lasts for twelve times, and no longer
    let { hash } = used;
    for (let uses = 0; uses < 12; uses += 1) {
      await seed.advance(80);
      const next = rotation(hash);
      expect(await store.rotate(next)).toBeDefined();
      hash = next.successorHash;
    }
    expect(await store.rotate(rotation(idle.hash))).toBeUndefined();
    await seed.advance(80);
    expect(await store.rotate(rotation(hash))).toBeUndefined();
  });

  describe('one that is renewed in place of that', () => {
    const renewal = ({ hash, applicationId: of, scopes, confirmation, idleSeconds }: RefreshRotation) => ({
      hash,
      applicationId: of,
      scopes,
      confirmation,
      idleSeconds,
    });

    it('succeeds for all of eight at once, and leaves the one token', async () => {
      const { hash, authorizationId } = await family();
      const once = renewal(rotation(hash));
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => store.renew(once)));
      expect(outcomes.filter((authorization) => authorization === undefined)).toEqual([]);
      expect(await count('refresh_tokens', authorizationId)).toBe(1);
      expect(await store.findRefreshToken(hash)).toMatchObject({ used: false, alive: true });
    });

    it('fails for scopes beyond, for another application, and once it was rotated or the grant revoked', async () => {
      const { hash, authorizationId } = await family();
      const good = renewal(rotation(hash));
      expect(await store.renew({ ...good, scopes: ['openid', 'email'] })).toBeUndefined();
      expect(await store.renew({ ...good, applicationId: 'other' as ApplicationId })).toBeUndefined();
      const rotated = rotation(hash);
      await store.rotate(rotated);
      expect(await store.renew(good)).toBeUndefined();
      const next = { ...good, hash: rotated.successorHash };
      expect(await store.renew(next)).toBeDefined();
      await store.revoke(authorizationId, 'test');
      expect(await store.renew(next)).toBeUndefined();
    });
  });
});
