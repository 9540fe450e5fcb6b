import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { redisUrl } from '../support/redis.js';
import { eventually } from '../workers/support/eventually.js';
import { Pipeline } from '../workers/support/pipeline.js';

/** Of every fault in here: what somebody waits for has left by then. */
const SOON_MS = 10_000;

async function onPipeline(work: (pipeline: Pipeline) => Promise<void>): Promise<void> {
  const pipeline = await Pipeline.build(redisUrl());
  try {
    await work(pipeline);
  } finally {
    await pipeline.tearDown();
  }
}

describe('a mail server that fails', () => {
  it('hangs on mass mailings: a password reset leaves all the same (F23, F41)', async () => {
    await onPipeline(async (pipeline) => {
      const many = await Promise.all(
        Array.from({ length: 100 }, () => pipeline.seed.queueMail({ lane: 'bulk' })),
      );
      const slow = new Set(many.map(({ to }) => to));
      let hanging = 0;
      pipeline.sink.atData = async (to) => {
        if (slow.has(to)) {
          hanging += 1;
          await sleep(120_000, undefined, { ref: false });
        }
        return 'accept' as const;
      };
      await pipeline.startWorker();
      await eventually('the server to hang', 20_000, () => hanging >= 4);
      for (let request = 0; request < 3; request += 1) {
        const reset = await pipeline.seed.queueMail({ lane: 'priority' });
        await eventually('the reset', SOON_MS, () => pipeline.sink.to(reset.to).length === 1);
      }
    });
  }, 120_000);

  it('refuses eight at the head for good: the ninth leaves on time (F32)', async () => {
    await onPipeline(async (pipeline) => {
      const refused = await Promise.all(Array.from({ length: 8 }, () => pipeline.seed.queueMail()));
      const never = new Set(refused.map(({ to }) => to));
      pipeline.sink.atRecipient = (to) => (never.has(to) ? '450' : 'accept');
      await pipeline.startWorker();
      const ninth = await pipeline.seed.queueMail();
      await eventually('the ninth', SOON_MS, () => pipeline.sink.to(ninth.to).length === 1);
    });
  }, 120_000);

  it('refuses the login: it is paused, messages wait, none fails, and one event tells (F24)', async () => {
    await onPipeline(async (pipeline) => {
      pipeline.sink.atRecipient = () => '535';
      const many = await Promise.all(Array.from({ length: 50 }, () => pipeline.seed.queueMail()));
      await pipeline.startWorker();
      await eventually('the alarm', 20_000, async () => {
        return (await pipeline.seed.count('events', `type = 'notification_provider.paused'`)) > 0;
      });
      expect(await pipeline.seed.count('notifications', `state IN ('pending', 'retrying', 'sending')`)).toBe(
        many.length,
      );
      expect(await pipeline.seed.count('events', `type = 'notification_provider.paused'`)).toBe(1);
      expect(await pipeline.seed.count('notifications', 'dead_letter')).toBe(0);
    });
  }, 120_000);

  it('is away for longer than codes live: they end as expired and are never sent (F22, F28)', async () => {
    await onPipeline(async (pipeline) => {
      let connections = 0;
      pipeline.sink.atRecipient = () => {
        connections += 1;
        return '421';
      };
      const expiresAt = new Date(Date.now() + 25_000);
      const many = await Promise.all(
        Array.from({ length: 200 }, () => pipeline.seed.queueMail({ lane: 'bulk', expiresAt })),
      );
      await pipeline.startWorker();
      await eventually('the breaker to open', 20_000, async () => {
        return (await pipeline.seed.count('events', `type = 'notification_provider.opened'`)) > 0;
      });
      await eventually('all to expire', 120_000, async () => {
        const expired = `state = 'abandoned' AND last_error = 'code_expired'`;
        return (await pipeline.seed.count('notifications', expired)) === many.length;
      });
      expect(connections).toBeLessThan(100);
      pipeline.sink.atRecipient = () => 'accept';
      const next = await pipeline.seed.queueMail({ lane: 'priority' });
      await eventually('the next', 70_000, () => pipeline.sink.to(next.to).length === 1);
      for (const mail of many) expect(pipeline.sink.to(mail.to)).toHaveLength(0);
    });
  }, 300_000);
});
