import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventsStore } from '../../src/domain/events/events.store.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { startTestApi } from '../support/api.js';
import { redisUrl } from '../support/redis.js';
import { aServiceUser } from '../support/service-users.js';
import { isSignedBy, WebhookReceiver } from '../support/webhook-receiver.js';
import { anOrganization, type World } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { startOwnRedis } from './support/redis-server.js';
import { WorkersOfApi } from './support/workers-of-api.js';

/** The API on a database of its own, somebody's server, a webhook that leads there, and workers. */
class Hooks extends WorkersOfApi {
  private constructor(
    readonly world: World,
    readonly receiver: WebhookReceiver,
    readonly secret: string,
  ) {
    super(world.api, { OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
  }

  static async build(redis: string): Promise<Hooks> {
    const api = await startTestApi({ REDIS_URL: redis, OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
    const world = await anOrganization(api);
    const receiver = await WebhookReceiver.start();
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const hook = { name: 'Hook', url: receiver.url(), eventTypes: ['user.locked'] };
    const added = await owner.call('POST', 'webhooks', hook);
    return new Hooks(world, receiver, added.json<{ secret: string }>().secret);
  }

  async happened(...sequences: readonly number[]): Promise<void> {
    const { app } = this.api;
    const { orgId } = this.world;
    for (const sequence of sequences) {
      await app.get(UnitOfWork).run((tx) =>
        app.get(EventsStore).append(tx, {
          orgId,
          aggregateType: 'user',
          aggregateId: 'somebody',
          sequence,
          type: 'user.locked',
          actorId: null,
        }),
      );
    }
  }

  get got(): readonly number[] {
    return this.receiver.received.map(({ json }) => Number(json.data['sequence']));
  }

  async untilGot(last: number): Promise<void> {
    await eventually(`the event ${last}`, 60_000, () => this.got.at(-1) === last);
  }

  override async tearDown(): Promise<void> {
    await super.tearDown();
    await this.receiver.stop();
  }
}

// F52

describe('event → log → worker → webhook', () => {
  let hooks: Hooks;
  beforeEach(async () => {
    hooks = await Hooks.build(redisUrl());
  });
  afterEach(() => hooks.tearDown());

  it('is delivered once and in order by whichever of two workers, signed', async () => {
    await Promise.all([hooks.startWorker(), hooks.startWorker()]);
    await hooks.happened(1, 2, 3);
    await hooks.untilGot(3);
    await hooks.happened(4);
    await hooks.untilGot(4);
    expect(hooks.got).toEqual([1, 2, 3, 4]);
    expect(hooks.receiver.received.every((hook) => isSignedBy(hooks.secret, hook))).toBe(true);
  });

  it('is delivered again, and in order, when the worker dies with the answer', async () => {
    await hooks.happened(1, 2);
    const doomed = hooks.spawnWorker({ CRASH_AT: 'webhook-after-answer' });
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(hooks.got).toEqual([1]);
    await hooks.startWorker();
    await hooks.untilGot(2);
    expect(hooks.got).toEqual([1, 1, 2]);
    const ids = hooks.receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).toBe(ids[1]);
  });

  it('is delivered once when the worker dies between claim and call', async () => {
    await hooks.happened(1, 2);
    const doomed = hooks.spawnWorker({ CRASH_AT: 'webhook-after-claim' });
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await hooks.startWorker();
    await hooks.untilGot(2);
    expect(hooks.got).toEqual([1, 2]);
  });

  it('ends what is under way when it is told to stop', async () => {
    hooks.receiver.reply = () => ({ status: 204, afterMs: 5_000 });
    const worker = await hooks.startWorker();
    await hooks.happened(1, 2, 3);
    await eventually('the first call', 30_000, () => hooks.got.length === 1);
    worker.signal('SIGTERM');
    expect(await worker.exited).toMatchObject({ code: 0 });
    expect(hooks.got).toEqual([1]);
    await hooks.startWorker();
    await hooks.untilGot(3);
    expect(hooks.got).toEqual([1, 2, 3]);
  });
});

describe('events while Redis is away', () => {
  it('go on', async () => {
    const redis = await startOwnRedis();
    const hooks = await Hooks.build(redis.url);
    try {
      await hooks.startWorker();
      await redis.stop();
      await hooks.happened(1, 2);
      await hooks.untilGot(2);
      expect(hooks.got).toEqual([1, 2]);
    } finally {
      await hooks.tearDown();
      await redis.stop();
    }
  });
});
