import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrgId, SessionId, UserAgentId, UserId } from '../../../src/domain/shared/ids.js';
import { randomToken, sha256 } from '../../../src/domain/shared/random.js';
import { PgSessionsStore } from '../../../src/storage/postgres/pg-sessions.store.js';
import { Seed } from '../grants/seed.js';

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
    store.start(tx, { id: randomToken(16) as SessionId, orgId, userId, userAgentId, amr: ['pwd'] }),
  );

const end = (ids: readonly SessionId[]) => seed.unitOfWork.run((tx) => store.end(tx, ids, 'logout', null));

const LIFE = { idleSeconds: 1000, absoluteSeconds: 5000 };

const find = (secret: string) => store.findAgent(sha256(secret), LIFE);

const sessionsOf = async (secret: string) => (await find(secret))?.sessions ?? [];

const findLive = (id: SessionId, userAgentId: UserAgentId) =>
  seed.unitOfWork.run((tx) => store.findLive(tx, id, userAgentId));

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
    const first = await start(agent.id, user);
    await seed.advance(100);
    expect((await sessionsOf(agent.secret))[0]?.authAgeSeconds).toBeGreaterThanOrEqual(100);
    const second = await start(agent.id, user);
    expect(second?.id).toBe(first?.id);
    expect(second?.authAgeSeconds).toBeLessThan(10);
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
