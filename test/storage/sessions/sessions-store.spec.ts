import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProofKind } from '../../../src/domain/sessions/proof.js';
import type {
  ApplicationId,
  AuthorizationId,
  OrgId,
  SessionId,
  UserAgentId,
  UserId,
} from '../../../src/domain/shared/ids.js';
import { randomToken, sha256 } from '../../../src/domain/shared/random.js';
import { PgAuthorizationsStore } from '../../../src/storage/postgres/authorizations/authorizations.store.js';
import { PgSessionsStore } from '../../../src/storage/postgres/sessions/sessions.store.js';
import { stopTimeForTest } from '../../support/stopped-time.js';
import { Seed } from '../authorizations/seed.js';

let seed: Seed;
let store: PgSessionsStore;
let orgId: OrgId;

beforeAll(async () => {
  seed = await Seed.open();
  store = new PgSessionsStore(seed.sql);
  orgId = await seed.organization();
});
afterAll(() => seed.close());

const start = (userAgentId: UserAgentId, userId: UserId) =>
  seed.unitOfWork.run((tx) =>
    store.start(tx, { id: randomToken(16) as SessionId, orgId, userId, userAgentId, proofs: ['password'] }),
  );

const end = (ids: readonly SessionId[]) => seed.unitOfWork.run((tx) => store.end(tx, ids, 'logout', null));

const LIFE = { idleSeconds: 1000, absoluteSeconds: 5000 };

const find = (secret: string) => store.findAgent(sha256(secret), LIFE);

const sessionsOf = async (secret: string) => (await find(secret))?.sessions ?? [];

const findLive = (id: SessionId, userAgentId: UserAgentId) =>
  seed.unitOfWork.run((tx) => store.findLive(tx, id, userAgentId));

describe('what was shown in a session', () => {
  const add = (id: SessionId, kind: ProofKind) => seed.unitOfWork.run((tx) => store.addProof(tx, id, kind));
  const rowOf = async (id: SessionId) => {
    const { rows } = await seed.pool.query<{
      amr: string[];
      proofs: Record<string, number>;
      at: number;
      second: number | null;
    }>(
      `SELECT amr, proofs, floor(extract(epoch FROM auth_time))::float8 AS at,
              floor(extract(epoch FROM second_factor_at))::float8 AS second FROM sessions WHERE id = $1`,
      [id],
    );
    return rows[0];
  };
  const begin = async () => {
    const [{ id: agentId }, userId] = await Promise.all([seed.agent(), seed.user(orgId)]);
    return { agentId, userId, id: (await start(agentId, userId))?.id ?? ('' as SessionId) };
  };

  it('begins with the proofs of the sign-in', async () => {
    const { id } = await begin();
    const row = await rowOf(id);
    expect(row).toMatchObject({ amr: ['pwd'], proofs: { password: row?.at }, second: null });
  });

  it('is no fresher for what was set up a moment ago, which counts all the same', async () => {
    const { id } = await begin();
    const before = await rowOf(id);
    await seed.advance(60);
    const added = await seed.unitOfWork.run((tx) => store.addProof(tx, id, 'totp', 'set-up'));
    expect(added).toBe(true);
    const row = await rowOf(id);
    expect(row).toMatchObject({ at: before?.at, amr: ['pwd', 'otp', 'mfa'] });
    expect(row?.second).toBeGreaterThanOrEqual((before?.at ?? 0) + 60);
  });

  it('grows by one more, with its own time, and is told', async () => {
    const { id, userId } = await begin();
    const before = await rowOf(id);
    await seed.advance(60);
    expect(await add(id, 'totp')).toBe(true);
    const row = await rowOf(id);
    expect(row).toMatchObject({
      amr: ['pwd', 'otp', 'mfa'],
      // as fresh as the password, to which a code is added
      at: before?.at,
      proofs: { password: before?.at, totp: row?.second },
    });
    expect((row?.second ?? 0) - (before?.at ?? 0)).toBeGreaterThanOrEqual(60);
    await seed.advance(60);
    expect(await add(id, 'passkey-verified')).toBe(true);
    expect(((await rowOf(id))?.at ?? 0) - (before?.at ?? 0)).toBeGreaterThanOrEqual(120);
    const { rows } = await seed.pool.query(
      `SELECT org_id, actor_id, data FROM events WHERE aggregate_id = $1 AND type = 'session.factor_verified'`,
      [id],
    );
    const told = { org_id: orgId, actor_id: userId };
    expect(rows.map(({ data }) => data as object)).toEqual([{ kind: 'totp' }, { kind: 'passkey-verified' }]);
    expect(rows[0]).toMatchObject(told);
  });

  it('keeps since when there were two factors', async () => {
    const { id } = await begin();
    await add(id, 'totp');
    const first = await rowOf(id);
    await seed.advance(60);
    await add(id, 'recovery-code');
    expect((await rowOf(id))?.second).toBe(first?.second);
  });

  it('loses none of two that come at once', async () => {
    const { id } = await begin();
    await Promise.all([add(id, 'totp'), add(id, 'sms-code')]);
    const row = await rowOf(id);
    expect(Object.keys(row?.proofs ?? {}).toSorted()).toEqual(['password', 'sms-code', 'totp']);
    expect(row?.amr).toEqual(['pwd', 'otp', 'sms', 'mfa']);
  });

  it('is forgotten when the session is renewed', async () => {
    const { id, agentId, userId } = await begin();
    await add(id, 'totp');
    await seed.pool.query(`UPDATE sessions SET browser_trusted = true WHERE id = $1`, [id]);
    expect((await start(agentId, userId))?.id).toBe(id);
    expect(await rowOf(id)).toMatchObject({
      amr: ['pwd'],
      proofs: { password: expect.any(Number) },
      second: null,
    });
    const { rows } = await seed.pool.query(`SELECT browser_trusted FROM sessions WHERE id = $1`, [id]);
    expect(rows).toEqual([{ browser_trusted: false }]);
  });

  it('of an older session is a password', async () => {
    const { id } = await begin();
    await seed.pool.query(`UPDATE sessions SET proofs = '{}' WHERE id = $1`, [id]);
    const before = await rowOf(id);
    await add(id, 'totp');
    expect(await rowOf(id)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], proofs: { password: before?.at } });
  });

  it('is added to no session that has ended', async () => {
    const { id } = await begin();
    await end([id]);
    expect(await add(id, 'totp')).toBe(false);
    expect(await rowOf(id)).toMatchObject({ amr: ['pwd'] });
  });
});

describe('a browser', () => {
  it('is found by its secret, with no sessions at first', async () => {
    const agent = await seed.agent();
    expect(await find(agent.secret)).toEqual({ id: agent.id, sessions: [], lapsed: [] });
    expect(await find('another')).toBeUndefined();
  });

  it('changes its secret once when eight try', async () => {
    const { id, secret } = await seed.agent();
    const rotated = await Promise.all(
      Array.from({ length: 8 }, () =>
        seed.unitOfWork.run((tx) => store.rotateAgent(tx, id, sha256(secret), sha256(randomToken(32)))),
      ),
    );
    expect(rotated.filter(Boolean)).toHaveLength(1);
    expect(await find(secret)).toBeUndefined();
  });
});

describe('a session', () => {
  it('is one for each user in a browser, however many start at once', async () => {
    const agent = await seed.agent();
    const [ada, eve] = [await seed.user(orgId), await seed.user(orgId)];
    const started = await Promise.all(
      Array.from({ length: 8 }, (_, n) => start(agent.id, n % 2 === 0 ? ada : eve)),
    );
    expect(new Set(started.map((session) => session?.id)).size).toBe(2);
    expect((await sessionsOf(agent.secret)).map((session) => session.userId).toSorted()).toEqual(
      [ada, eve].toSorted(),
    );
  });

  it('keeps its id when the same user signs in again, and is young again', async () => {
    const agent = await seed.agent();
    const user = await seed.user(orgId);
    await stopTimeForTest(seed.pool);
    const first = await start(agent.id, user);
    await seed.advance(100);
    expect((await sessionsOf(agent.secret))[0]?.authAgeSeconds).toBe(100);
    const second = await start(agent.id, user);
    expect(second?.id).toBe(first?.id);
    expect(second?.authAgeSeconds).toBe(0);
  });

  it('comes last used first', async () => {
    const agent = await seed.agent();
    const [ada, eve] = [await seed.user(orgId), await seed.user(orgId)];
    await start(agent.id, ada);
    await seed.advance(1);
    await start(agent.id, eve);
    expect((await sessionsOf(agent.secret)).map((session) => session.userId)).toEqual([eve, ada]);
    await seed.advance(1);
    await start(agent.id, ada);
    expect((await sessionsOf(agent.secret)).map((session) => session.userId)).toEqual([ada, eve]);
  });

  it.each(['inactive', 'initial', 'locked'])('is not started for a user who is %s', async (state) => {
    const agent = await seed.agent();
    const user = await seed.user(orgId);
    await seed.pool.query(`UPDATE users SET state = $2 WHERE id = $1`, [user, state]);
    expect(await start(agent.id, user)).toBeUndefined();
    expect(await sessionsOf(agent.secret)).toEqual([]);
  });

  it('is not started in another organization’s name', async () => {
    const agent = await seed.agent();
    expect(await start(agent.id, await seed.user(await seed.organization()))).toBeUndefined();
  });

  it.each([
    ['deactivated', `UPDATE users SET state = 'inactive' WHERE id = $1`],
    ['signed out everywhere', `UPDATE users SET token_epoch = token_epoch + 1 WHERE id = $1`],
  ])('is not offered once the user was %s', async (_name, statement) => {
    const agent = await seed.agent();
    const user = await seed.user(orgId);
    const session = await start(agent.id, user);
    await seed.pool.query(statement, [user]);
    expect(await sessionsOf(agent.secret)).toEqual([]);
    expect(await findLive(session?.id ?? ('' as SessionId), agent.id)).toBeUndefined();
    expect(await store.listOfUser(orgId, user)).toEqual([]);
  });

  it('ends once, and says so once', async () => {
    const agent = await seed.agent();
    const session = await start(agent.id, await seed.user(orgId));
    const id = session?.id ?? ('' as SessionId);
    expect(await findLive(id, agent.id)).toMatchObject({ id });
    expect(await findLive(id, (await seed.agent()).id)).toBeUndefined();
    const ended = await Promise.all(Array.from({ length: 8 }, () => end([id])));
    expect(ended.reduce((sum, n) => sum + n, 0)).toBe(1);
    expect(await seed.value(`SELECT count(*)::int FROM events WHERE aggregate_id = $1`, [id])).toBe(1);
    expect(await sessionsOf(agent.secret)).toEqual([]);
    expect(await findLive(id, agent.id)).toBeUndefined();
  });

  it.each([
    ['idle for too long', async () => await seed.advance(LIFE.idleSeconds)],
    [
      'begun too long ago, though used since',
      async (userId: UserId) => {
        await seed.advance(LIFE.absoluteSeconds);
        await seed.pool.query(`UPDATE sessions SET last_used_at = app_now() WHERE user_id = $1`, [userId]);
      },
    ],
  ])('%s signs nobody in, and is remembered', async (_name, passTime) => {
    const agent = await seed.agent();
    const user = await seed.user(orgId);
    const session = await start(agent.id, user);
    await passTime(user);
    const found = await find(agent.secret);
    expect(found?.sessions).toEqual([]);
    expect(found?.lapsed.map(({ id }) => id)).toEqual([session?.id]);
    expect((await start(agent.id, user))?.id).toBe(session?.id);
    expect((await sessionsOf(agent.secret)).map(({ id }) => id)).toEqual([session?.id]);
  });

  it('that ended does not come back with the next sign-in', async () => {
    const agent = await seed.agent();
    const user = await seed.user(orgId);
    const first = await start(agent.id, user);
    await end([first?.id ?? ('' as SessionId)]);
    expect((await start(agent.id, user))?.id).not.toBe(first?.id);
  });
});

describe('the sessions of a user', () => {
  const endOfUser = (userId: UserId, which: { only?: SessionId; except?: SessionId } = {}, org = orgId) =>
    seed.unitOfWork.run((tx) =>
      store.endOfUser(tx, { orgId: org, userId, ...which }, 'administrator', 'somebody' as UserId),
    );

  async function onThreeBrowsers(userId: UserId): Promise<[SessionId, SessionId, SessionId]> {
    const ids: SessionId[] = [];
    for (const device of ['Firefox, Windows', undefined, 'Safari, iPhone']) {
      const { id: userAgentId } = await seed.agent();
      const session = await seed.unitOfWork.run((tx) =>
        store.start(tx, {
          id: randomToken(16) as SessionId,
          orgId,
          userId,
          userAgentId,
          proofs: ['password'],
          device,
        }),
      );
      ids.push(session?.id ?? ('' as SessionId));
      await seed.advance(10);
    }
    return ids as [SessionId, SessionId, SessionId];
  }

  it('are listed, last used first, with what tells them apart', async () => {
    const user = await seed.user(orgId);
    const [first, second, third] = await onThreeBrowsers(user);
    const listed = await store.listOfUser(orgId, user);
    expect(listed.map(({ id, device }) => [id, device])).toEqual([
      [third, 'Safari, iPhone'],
      [second, undefined],
      [first, 'Firefox, Windows'],
    ]);
    expect(listed[1]).not.toHaveProperty('device');
    for (const { createdAt, authenticatedAt, lastUsedAt } of listed) {
      expect(authenticatedAt.getTime()).toBeGreaterThan(Date.now());
      // within five seconds: the next one is used ten later
      expect([createdAt, lastUsedAt].map((date) => date.getTime() - authenticatedAt.getTime())).toEqual([
        expect.closeTo(0, -4),
        expect.closeTo(0, -4),
      ]);
    }
    expect(await store.listOfUser(await seed.organization(), user)).toEqual([]);
  });

  it('keep the time they began, and take the last browser that was recognised, when signed in to again', async () => {
    const { id: userAgentId } = await seed.agent();
    const user = await seed.user(orgId);
    const begin = (device?: string) =>
      seed.unitOfWork.run((tx) =>
        store.start(tx, {
          id: randomToken(16) as SessionId,
          orgId,
          userId: user,
          userAgentId,
          proofs: [],
          device,
        }),
      );
    await begin('Edge, Windows');
    await seed.advance(60);
    await begin();
    const [again] = await store.listOfUser(orgId, user);
    expect(again?.device).toBe('Edge, Windows');
    expect((again?.lastUsedAt.getTime() ?? 0) - (again?.createdAt.getTime() ?? 0)).toBeGreaterThanOrEqual(
      60_000,
    );
    expect(again?.authenticatedAt).toEqual(again?.lastUsedAt);
  });

  it('end all at once, but for one, or one alone', async () => {
    const user = await seed.user(orgId);
    const left = async () => (await store.listOfUser(orgId, user)).map(({ id }) => id);
    const [first, second, third] = await onThreeBrowsers(user);
    expect(await endOfUser(user, { only: second })).toBe(1);
    expect(await left()).toEqual([third, first]);
    expect(await endOfUser(user, { except: first })).toBe(1);
    expect(await left()).toEqual([first]);
    expect(await endOfUser(user)).toBe(1);
    expect(await endOfUser(user)).toBe(0);
    const { rows } = await seed.pool.query(
      `SELECT actor_id, data FROM events WHERE aggregate_id = ANY ($1) AND type = 'session.ended'`,
      [[first, second, third]],
    );
    expect(rows).toEqual(
      Array.from({ length: 3 }, () => ({ actor_id: 'somebody', data: { reason: 'administrator' } })),
    );
  });

  it('are out of reach for another user and for another organization', async () => {
    const user = await seed.user(orgId);
    const [first] = await onThreeBrowsers(user);
    expect(await endOfUser(await seed.user(orgId), { only: first })).toBe(0);
    expect(await endOfUser(user, {}, await seed.organization())).toBe(0);
    expect(await store.listOfUser(orgId, user)).toHaveLength(3);
  });
});

describe('the applications of a session that ends', () => {
  let told: ApplicationId;
  let silent: ApplicationId;

  beforeAll(async () => {
    const projectId = await seed.project(orgId);
    told = await seed.application(orgId, projectId);
    silent = await seed.application(orgId, projectId);
    await seed.pool.query(
      `UPDATE applications SET back_channel_logout_uri = 'https://rp.test/out' WHERE id = $1`,
      [told],
    );
  });

  const grant = (userId: UserId, sessionId: SessionId, applicationId: ApplicationId) =>
    seed.pool.query(
      `INSERT INTO authorizations (id, org_id, user_id, application_id, session_id, scopes, audience, auth_time, amr, subject_epoch)
       VALUES ($1, $2, $3, $4, $5, '{openid}', '{}', now(), '{pwd}', 0)`,
      [randomToken(16), orgId, userId, applicationId, sessionId],
    );
  /** As a sign-in does, where the session is still there. */
  const open = (userId: UserId, sessionId: SessionId) =>
    seed.unitOfWork.run((tx) =>
      new PgAuthorizationsStore(seed.sql).open(tx, {
        id: randomToken(16) as AuthorizationId,
        orgId,
        userId,
        applicationId: told,
        sessionId,
        scopes: ['openid'],
        audience: [],
        nonce: null,
        acr: ['urn:test:password', 'urn:test:multi-factor', 'urn:test:passkey'],
        claims: null,
        code: null,
      }),
    );
  const notices = async (...ids: SessionId[]) => {
    const { rows } = await seed.pool.query<Record<string, unknown>>(
      `SELECT n.session_id, n.application_id, n.user_id, n.state, o.queue, o.job_name, o.lane,
              o.payload = jsonb_build_object('logoutNoticeId', n.id) AS names_it
       FROM logout_notices n JOIN outbox o ON o.id = n.outbox_id WHERE session_id = ANY ($1)`,
      [ids],
    );
    return rows;
  };

  it('get one notice each, with its job, if they want to know', async () => {
    const user = await seed.user(orgId);
    const session = await seed.session(orgId, user);
    for (const application of [told, told, silent]) await grant(user, session, application);
    await end([session]);
    expect(await notices(session)).toEqual([
      {
        session_id: session,
        application_id: told,
        user_id: user,
        state: 'pending',
        queue: 'notifications',
        job_name: 'deliver-logout',
        lane: 'normal',
        names_it: true,
      },
    ]);
  });

  it('get nothing for a session they never saw, or when the transaction is undone', async () => {
    const user = await seed.user(orgId);
    const [seen, unseen] = [await seed.session(orgId, user), await seed.session(orgId, user)];
    await grant(user, seen, told);
    await end([unseen]);
    const undone = seed.unitOfWork.run(async (tx) => {
      expect(await store.end(tx, [seen], 'logout', null)).toBe(1);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await notices(seen, unseen)).toEqual([]);
    expect(await store.listOfUser(orgId, user)).toMatchObject([{ id: seen }]);
  });

  it('are told once of a session that many end at once, whatever order they name', async () => {
    const user = await seed.user(orgId);
    const sessions = await Promise.all(Array.from({ length: 5 }, () => seed.session(orgId, user)));
    for (const session of sessions) await grant(user, session, told);
    const ended = await Promise.all(
      Array.from({ length: 8 }, (_, n) => end(n % 2 === 0 ? sessions : sessions.toReversed())),
    );
    expect(ended.reduce((sum, n) => sum + n, 0)).toBe(5);
    expect(await notices(...sessions)).toHaveLength(5);
    expect(
      await seed.value(`SELECT count(*)::int FROM events WHERE aggregate_id = ANY ($1)`, [sessions]),
    ).toBe(5);
  });

  it('are told of a grant that was being opened while the session ended, or do not get it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const user = await seed.user(orgId);
      const session = await seed.session(orgId, user);
      const [opened] = await Promise.all([open(user, session), end([session])]);
      expect(await notices(session)).toHaveLength(opened === undefined ? 0 : 1);
    }
  });

  it('do not get a grant behind the back of a logout under way', async () => {
    const user = await seed.user(orgId);
    const session = await seed.session(orgId, user);
    let opening: Promise<unknown> | undefined;
    await seed.unitOfWork.run(async (tx) => {
      await store.end(tx, [session], 'logout', null);
      opening = open(user, session);
      await expect
        .poll(() =>
          seed.value<number>(
            `SELECT count(*)::int FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          ),
        )
        .toBe(1);
    });
    expect(await opening).toBeUndefined();
    expect(
      await seed.value(`SELECT count(*)::int FROM authorizations WHERE session_id = $1`, [session]),
    ).toBe(0);
  });
});
