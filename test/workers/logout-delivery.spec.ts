import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import type { CrashPoint } from '../../src/domain/shared/crash-point.js';
import type { TestClient } from '../support/applications.js';
import { redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { inTurn } from './support/in-turn.js';
import { Logouts, type NoticeState, type QueuedLogout } from './support/logouts.js';
import { startOwnRedis } from './support/redis-server.js';
import { makeCertificate, RelyingParty, type Reply } from './support/relying-party.js';

describe('session ends → outbox → relay → BullMQ → worker → application', () => {
  let redis: PrivateRedis;
  let logouts: Logouts;
  let queue: Queue;
  let path = 0;

  beforeAll(async () => {
    redis = await startOwnRedis();
    logouts = await Logouts.build(redis.url);
    queue = new Queue('notifications', {
      connection: { url: redis.url },
      prefix: logouts.api.config.queues.prefix,
    });
    await Promise.all([logouts.startWorker(), logouts.startWorker()]);
  });
  afterAll(async () => {
    await queue.close();
    await logouts.tearDown();
    await redis.stop();
  });
  beforeEach(() => {
    path += 1;
  });

  const here = () => `/out/${path}`;
  const tokens = () => logouts.party.at(here()).map(({ form }) => form.get('logout_token') ?? '');
  const jtis = () => new Set(tokens().map((token) => decodeJwt(token).jti));

  /** An application whose replies are these, one after the other, the last for ever. */
  async function replying(...replies: Reply[]): Promise<TestClient> {
    const mine = here();
    const others = logouts.party.reply;
    logouts.party.reply = (post) => {
      if (post.path !== mine) return others(post);
      return (replies.length > 1 ? replies.shift() : replies[0]) ?? 200;
    };
    return await logouts.application(logouts.party.uri(mine));
  }

  async function ended(queued: QueuedLogout, withinMs = 20_000): Promise<NoticeState> {
    return await eventually('the end of a notice', withinMs, async () => {
      const now = await logouts.stateOf(queued);
      return now.state === 'delivered' || now.state === 'abandoned' ? now : undefined;
    });
  }

  it('delivers one signed token in a form of one field, and leaves nothing queued afterwards', async () => {
    const queued = await logouts.signOut(await replying(200));
    const done = await ended(queued);
    expect(done).toMatchObject({ state: 'delivered', attempts: 1, lastError: null });
    const posts = logouts.party.at(here());
    expect(posts).toHaveLength(1);
    expect([...(posts[0]?.form.keys() ?? [])]).toEqual(['logout_token']);
    expect(posts[0]?.contentType).toBe('application/x-www-form-urlencoded');

    const keys = (await logouts.api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
    const { payload } = await jwtVerify(tokens()[0] ?? '', createLocalJWKSet(keys), {
      issuer: 'https://id.test',
      audience: queued.clientId,
      typ: 'logout+jwt',
      algorithms: ['RS256'],
    });
    expect(payload).toMatchObject({ sub: queued.userId, sid: queued.sid, jti: done.id });
    expect(payload['events']).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} });
    expect(payload).not.toHaveProperty('nonce');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);

    expect(await logouts.count('outbox', `id = ${done.outboxId}`)).toBe(0);
    expect(
      await logouts.count('events', `type = 'logout_notice.delivered' AND aggregate_id = '${done.id}'`),
    ).toBe(1);
  });

  it('is no access token', async () => {
    await ended(await logouts.signOut(await replying(200)));
    const response = await logouts.api.app.inject({
      url: '/oidc/v1/userinfo',
      headers: { authorization: `Bearer ${tokens()[0] ?? ''}` },
    });
    expect(response.statusCode).toBe(401);
  });

  it('tries again after an error and after silence, with a new token of the same name', async () => {
    const queued = await logouts.signOut(await replying(500, 'hang', 200));
    expect(await ended(queued)).toMatchObject({ state: 'delivered', attempts: 3, lastError: null });
    expect(tokens()).toHaveLength(3);
    expect(jtis().size).toBe(1);
    const [first, , third] = tokens().map((token) => decodeJwt(token).iat ?? 0);
    expect(third).toBeGreaterThan(first ?? Infinity);
  });

  it('gives up after the last attempt, with the reason', async () => {
    const client = await replying(503);
    const { reply } = logouts.party;
    const mine = here();
    logouts.party.reply = async (post) => {
      if (post.path === mine) {
        await logouts.api.sql.query(
          `UPDATE logout_notices SET attempts = 19 WHERE state = 'sending' AND attempts = 1`,
        );
      }
      return await reply(post);
    };
    const queued = await logouts.signOut(client);
    const done = await ended(queued);
    expect(done).toMatchObject({
      state: 'abandoned',
      attempts: 20,
      lastError: 'attempts_exhausted:http_503',
    });
    expect(tokens()).toHaveLength(2);
    expect(await logouts.count('outbox', `id = ${done.outboxId}`)).toBe(0);
    expect(
      await logouts.count('events', `type = 'logout_notice.abandoned' AND aggregate_id = '${done.id}'`),
    ).toBe(1);
    const job = await queue.getJob(`o${done.outboxId}-0`);
    await eventually('the dead letter', 20_000, async () => await job?.isFailed());
    expect((await queue.getJob(job?.id ?? ''))?.failedReason).toContain('attempts_exhausted:http_503');
  });

  it('takes 400 as the application’s own word', async () => {
    const queued = await logouts.signOut(await replying(400));
    expect(await ended(queued)).toMatchObject({ state: 'abandoned', attempts: 1, lastError: 'http_400' });
    expect(tokens()).toHaveLength(1);
  });

  it('has one effect for a job published twenty times, with two workers', async () => {
    const client = await replying('drop', 200);
    const queued = await logouts.signOut(client);
    const { id, outboxId } = await logouts.stateOf(queued);
    const data = Array.from({ length: 20 }, () => ({ logoutNoticeId: id, outboxId }));
    await queue.addBulk(
      data.map((copy, index) => ({
        name: 'deliver-logout',
        data: copy,
        opts: { jobId: `copy-${id}-${index}`, attempts: 5 },
      })),
    );
    expect(await ended(queued)).toMatchObject({ state: 'delivered', attempts: 2 });
    await eventually('every copy to end', 40_000, async () => {
      const states = data.map((_, index) => queue.getJobState(`copy-${id}-${index}`));
      return (await Promise.all(states)).every((state) => state === 'completed');
    });
    expect(tokens()).toHaveLength(2);
  });

  it('is delivered after Redis forgot everything', async () => {
    const mine = here();
    const application = await replying(500, 200);
    const { reply } = logouts.party;
    let forget = (): void => undefined;
    const forgotten = new Promise<void>((resolve) => {
      forget = resolve;
    });
    // where this process is late, the second attempt waits
    logouts.party.reply = async (post) => {
      if (post.path === mine && logouts.party.at(mine).length > 1) await forgotten;
      return await reply(post);
    };
    const queued = await logouts.signOut(application);
    await eventually('the first attempt', 20_000, async () => {
      return (await logouts.stateOf(queued)).lastError === 'http_500';
    });
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    forget();
    expect(await ended(queued, 45_000)).toMatchObject({ state: 'delivered' });
    expect(jtis().size).toBe(1);
  });

  it('asks for the URI when it delivers: one taken back is not called', async () => {
    const client = await replying(503);
    const { reply } = logouts.party;
    const mine = here();
    logouts.party.reply = async (post) => {
      if (post.path === mine) {
        const withdraw = `UPDATE applications SET back_channel_logout_uri = NULL WHERE id = $1`;
        await logouts.api.sql.query(withdraw, [client.id]);
      }
      return await reply(post);
    };
    const queued = await logouts.signOut(client);
    expect(await ended(queued)).toMatchObject({ state: 'abandoned', lastError: 'uri_withdrawn' });
    expect(tokens()).toHaveLength(1);
  });

  it('calls no address that is nobody’s application, allowed or not', async () => {
    const { port } = logouts.party;
    const before = logouts.party.received.length;
    for (const uri of [`http://0.0.0.0:${port}/`, `http://169.254.169.254/`]) {
      const queued = await logouts.signOut(await logouts.application(uri, true));
      await eventually('the refusal', 15_000, async () => {
        return (await logouts.stateOf(queued)).lastError === 'address_refused';
      });
    }
    expect(logouts.party.received).toHaveLength(before);
  });

  it('keeps users, sessions, addresses and tokens out of Redis, and tokens and addresses out of the log', async () => {
    const queued = await logouts.signOut(await replying(500, 200));
    await eventually('a job in Redis', 20_000, async () =>
      (await logouts.dumpRedis()).includes('deliver-logout'),
    );
    await ended(queued);
    const dump = await logouts.dumpRedis();
    for (const secret of [queued.sid, queued.userId, queued.clientId]) expect(dump).not.toContain(secret);
    for (const told of [dump, logouts.logs()]) {
      expect(told).not.toMatch(/eyJ|127\.0\.0\.1:[0-9]+\/out|logout_token/);
    }
  });
});

describe('an application on this host', () => {
  it('is not called where private addresses are refused', async () => {
    const logouts = await Logouts.build(redisUrl());
    try {
      await logouts.startWorker({ OUTBOUND_PRIVATE_ADDRESSES: 'refuse' });
      for (const host of ['127.0.0.1', 'localhost']) {
        const queued = await logouts.signOut(await logouts.application(logouts.party.uri('/out', host)));
        await eventually('the refusal', 15_000, async () => {
          return (await logouts.stateOf(queued)).lastError === 'address_refused';
        });
        // as a name that nobody has: when it ends tells nothing (S514)
        expect((await logouts.stateOf(queued)).state).not.toBe('abandoned');
      }
      expect(logouts.party.received).toEqual([]);
    } finally {
      await logouts.tearDown();
    }
  });

  it('is called over TLS 1.3 once its certificate is known, and not before', async () => {
    const certificate = makeCertificate();
    const logouts = await Logouts.build(redisUrl());
    const party = await RelyingParty.start(certificate);
    try {
      const queued = await logouts.signOut(await logouts.application(party.uri('/out', 'localhost')));
      const distrustful = await logouts.startWorker();
      await eventually('a failed handshake', 15_000, async () => {
        return (await logouts.stateOf(queued)).lastError === 'tls';
      });
      expect(party.received).toEqual([]);
      await distrustful.kill();
      await logouts.startWorker({ NODE_EXTRA_CA_CERTS: certificate.certPath });
      await eventually('the delivery', 60_000, async () => {
        return (await logouts.stateOf(queued)).state === 'delivered';
      });
      expect(party.received.map(({ tls }) => tls)).toEqual(['TLSv1.3']);
    } finally {
      await logouts.tearDown();
      await party.stop();
      certificate.remove();
    }
  });
});

/** A job of a dead worker is taken over when its lock lapsed (20 s), its claim when the deadline did (15 s). */
const TAKEN_OVER_MS = 150_000;

describe.concurrent('a worker dies between two steps', () => {
  const buildInTurn = inTurn(() => Logouts.build(redisUrl()));

  async function dieAt(crashPoint: CrashPoint): Promise<{ calls: number; jtis: number }> {
    const logouts = await buildInTurn();
    try {
      const queued = await logouts.signOut(await logouts.application(logouts.party.uri()));
      const doomed = logouts.spawnWorker({ CRASH_AT: crashPoint });
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await logouts.startWorker();
      await eventually(`the delivery after ${crashPoint}`, TAKEN_OVER_MS, async () => {
        const { state } = await logouts.stateOf(queued);
        return state === 'delivered' && (await logouts.count('outbox', 'true')) === 0;
      });
      await eventually(`the job to end after ${crashPoint}`, TAKEN_OVER_MS, async () => {
        return /:completed",\["o\d+-\d+"/.test(await logouts.dumpRedis());
      });
      const tokens = logouts.party.received.map(({ form }) => form.get('logout_token') ?? '');
      return { calls: tokens.length, jtis: new Set(tokens.map((token) => decodeJwt(token).jti)).size };
    } finally {
      await logouts.tearDown();
    }
  }

  it('before the claim: told once', async () => {
    expect(await dieAt('logout-before-claim')).toEqual({ calls: 1, jtis: 1 });
  });

  it('between claim and call: told once', async () => {
    expect(await dieAt('logout-after-claim')).toEqual({ calls: 1, jtis: 1 });
  });

  it('after the application answered and before that is written down: told once more, under the same jti', async () => {
    expect(await dieAt('logout-after-answer')).toEqual({ calls: 2, jtis: 1 });
  });

  it('after that is written down and before the job is acknowledged: told once', async () => {
    expect(await dieAt('logout-after-mark')).toEqual({ calls: 1, jtis: 1 });
  });
});
