import { describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../src/domain/shared/crash-point.js';
import { redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';

/** A job of a dead worker is taken over when its lock lapsed (20 s), its claim when the deadline did (40 s). */
const TAKEN_OVER_MS = 150_000;

describe.concurrent('a worker dies between two steps (F14)', () => {
  async function dieAt(crashPoint: CrashPoint): Promise<{ sent: number; messageIds: number }> {
    const pipeline = await Pipeline.build(redisUrl());
    try {
      const mail = await pipeline.seed.queueMail();
      const doomed = pipeline.spawnWorker({ CRASH_AT: crashPoint });
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await pipeline.startWorker();
      await eventually(`the mail after ${crashPoint}`, TAKEN_OVER_MS, async () => {
        const { state } = await pipeline.seed.stateOf(mail);
        return state === 'sent' && (await pipeline.seed.count('outbox')) === 0;
      });
      await eventually(`the job to end after ${crashPoint}`, TAKEN_OVER_MS, async () => {
        return /:completed",\["o\d+-\d+"/.test(await pipeline.dumpRedis());
      });
      const received = pipeline.sink.to(mail.to);
      return { sent: received.length, messageIds: new Set(received.map((one) => one.messageId)).size };
    } finally {
      await pipeline.tearDown();
    }
  }

  it('before the row is published: sent once', async () => {
    expect(await dieAt('relay-after-mark')).toEqual({ sent: 1, messageIds: 1 });
  });

  it('after the row is published: sent once', async () => {
    expect(await dieAt('relay-after-publish')).toEqual({ sent: 1, messageIds: 1 });
  });

  it('before the claim: sent once', async () => {
    expect(await dieAt('notification-before-claim')).toEqual({ sent: 1, messageIds: 1 });
  });

  it('between claim and send: sent once', async () => {
    expect(await dieAt('notification-after-claim')).toEqual({ sent: 1, messageIds: 1 });
  });

  it('after the mail server took it and before that is written down: once more, as the same message', async () => {
    expect(await dieAt('notification-after-send')).toEqual({ sent: 2, messageIds: 1 });
  });

  it('after that is written down and before the job is acknowledged: sent once', async () => {
    expect(await dieAt('notification-after-mark')).toEqual({ sent: 1, messageIds: 1 });
  });
});
