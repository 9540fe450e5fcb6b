import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useApiPerTest } from '../support/api.js';
import { HttpGateway } from '../support/http-gateway.js';
import { redisUrl } from '../support/redis.js';
import { aServiceUser } from '../support/service-users.js';
import { anOrganization } from '../support/world.js';
import { eventually } from '../workers/support/eventually.js';
import { Pipeline } from '../workers/support/pipeline.js';
import { Seed, type QueuedMail } from '../workers/support/seed.js';
import { useWorkers } from '../workers/support/use-workers.js';

/** A killed worker's mail is free again after 40 s. */
const ENDS_MS = 120_000;

async function ended(seed: Seed, mail: QueuedMail): Promise<{ state: string; lastError: string | null }> {
  return await eventually('the end of the mail', ENDS_MS, async () => {
    const now = await seed.stateOf(mail);
    return ['sent', 'abandoned'].includes(now.state) ? now : undefined;
  });
}

describe('a mail server takes a message and hangs up before it says so, and the worker dies (F25)', () => {
  let pipeline: Pipeline;

  beforeEach(async () => {
    pipeline = await Pipeline.build(redisUrl());
  });
  afterEach(() => pipeline.tearDown());

  async function isAmbiguous(mail: QueuedMail): Promise<boolean | undefined> {
    const { rows } = await pipeline.pool.query<{ ambiguous: boolean }>(
      'SELECT ambiguous FROM notifications WHERE id = $1',
      [mail.id],
    );
    return rows[0]?.ambiguous;
  }

  /** Kills the first worker at the first message, while it does not know yet what became of that. */
  async function killAtTheDrop(mail: QueuedMail, then: 'accept' | 'drop-after-taking'): Promise<void> {
    const first = await pipeline.startWorker();
    pipeline.sink.atData = async (to) => {
      if (to !== mail.to) return 'accept';
      if (!first.running) return then;
      await first.kill();
      return 'drop-after-taking';
    };
    await first.exited;
    await pipeline.startWorker();
  }

  function expectOneRetry({ to, code }: QueuedMail): void {
    const received = pipeline.sink.to(to);
    expect(received).toHaveLength(2);
    expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(1);
    for (const { raw } of received) expect(raw).toContain(code);
  }

  it('once more and no third time, when it does the same again: given up as ambiguous', async () => {
    const mail = await pipeline.seed.queueMail();
    await killAtTheDrop(mail, 'drop-after-taking');
    expect(await ended(pipeline.seed, mail)).toMatchObject({
      state: 'abandoned',
      lastError: 'smtp_ambiguous',
    });
    expect(await isAmbiguous(mail)).toBe(true);
    expectOneRetry(mail);
  });

  it('once more, which it takes: sent', async () => {
    const mail = await pipeline.seed.queueMail();
    await killAtTheDrop(mail, 'accept');
    expect(await ended(pipeline.seed, mail)).toMatchObject({ state: 'sent' });
    expectOneRetry(mail);
  });
});

describe('an HTTP provider says 202, and the worker dies before that is written down (F27)', () => {
  const api = useApiPerTest({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
  let gateway: HttpGateway;

  beforeEach(async () => {
    gateway = await HttpGateway.start();
    const { pat } = await aServiceUser(await anOrganization(api), 'IAM_OWNER');
    await gateway.use(api, pat, 'marker-signing-key-of-the-gateway');
  });
  afterEach(() => gateway.stop());
  const workers = useWorkers(api);

  it('asks once more, under the name by which it knows what it has', async () => {
    const seed = await Seed.plant(api.sql);
    const mail = await seed.queueMail();
    expect(await workers.spawn({ CRASH_AT: 'notification-after-send' }).exited).toMatchObject({
      signal: 'SIGKILL',
    });
    await workers.spawn().untilReady();
    expect(await ended(seed, mail)).toMatchObject({ state: 'sent' });
    const requests = gateway.to(mail.to);
    expect(requests).toHaveLength(2);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});
