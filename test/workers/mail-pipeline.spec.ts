import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BULK_NOTIFICATIONS } from '../../src/queues/job-contract.js';
import { redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';
import type { QueuedMail } from './support/seed.js';
import { plain } from './support/smtp-sink.js';

describe('outbox → relay → BullMQ → worker → SMTP', () => {
  let pipeline: Pipeline;
  let queue: Queue;

  beforeAll(async () => {
    pipeline = await Pipeline.build(redisUrl());
    queue = new Queue(BULK_NOTIFICATIONS, { connection: { url: redisUrl() }, prefix: pipeline.prefix });
    await pipeline.startWorker();
  });

  afterAll(async () => {
    await queue.close();
    await pipeline.tearDown();
  });

  async function ended(mail: QueuedMail): Promise<{ state: string; lastError: string | null }> {
    return await eventually(`the end of ${mail.id}`, 15_000, async () => {
      const now = await pipeline.seed.stateOf(mail);
      return now.state === 'sent' || now.state === 'abandoned' ? now : undefined;
    });
  }

  it('sends one mail whose link carries the code, and leaves nothing queued afterwards', async () => {
    const mail = await pipeline.seed.queueMail();
    const received = await eventually('the mail', 20_000, () => pipeline.sink.to(mail.to)[0]);
    expect(received.messageId).toBe(`<${mail.id}@id.localhost>`);
    expect(received.raw).toMatch(/^Auto-Submitted: auto-generated$/im);
    expect(received.raw).toMatch(/^To: [^,\n]*\n(?! )/m);
    expect(plain(received.raw)).toContain(
      `http://id.localhost:8080/password/init?id=${mail.codeId}&code=${mail.code}`,
    );
    expect((await ended(mail)).state).toBe('sent');
    expect(await pipeline.seed.count('outbox', `id = ${mail.outboxId}`)).toBe(0);
    expect(await pipeline.seed.count('notifications', 'content_sealed IS NOT NULL')).toBe(0);
    expect(
      await pipeline.seed.count('events', `type = 'notification.sent' AND aggregate_id = '${mail.id}'`),
    ).toBe(1);
  });

  it('writes the other template to the other page', async () => {
    const mail = await pipeline.seed.queueMail({ template: 'verify_email' });
    const received = await eventually('the mail', 20_000, () => pipeline.sink.to(mail.to)[0]);
    expect(plain(received.raw)).toContain(
      `http://id.localhost:8080/verify/email?id=${mail.codeId}&code=${mail.code}`,
    );
  });

  it('has one effect for a job published ten times, also under ten ids (F18)', async () => {
    const mail = await pipeline.seed.queueMail();
    const data = { notificationId: mail.id, outboxId: mail.outboxId };
    const copies = Array.from({ length: 10 }, (_, index) => [
      { name: 'send-notification', data, opts: { jobId: `copy-${mail.id}`, attempts: 5 } },
      { name: 'send-notification', data, opts: { jobId: `copy-${mail.id}-${index}`, attempts: 5 } },
    ]);
    await queue.addBulk(copies.flat());
    expect((await ended(mail)).state).toBe('sent');
    await eventually('every copy to end', 20_000, async () => {
      const counts = await queue.getJobCounts('waiting', 'prioritized', 'active');
      return Object.values(counts).every((count) => count === 0);
    });
    expect(pipeline.sink.to(mail.to)).toHaveLength(1);
  });

  it('trusts nothing a job says: a job cannot delete the row of another (S172)', async () => {
    const done = await pipeline.seed.queueMail();
    await ended(done);
    const { rows } = await pipeline.pool.query<{ id: string }>(
      `INSERT INTO outbox (queue, job_name, payload, available_at)
       VALUES ('notifications', 'send-notification', '{"notificationId":"another"}', now() + interval '1 hour')
       RETURNING id`,
    );
    const victim = rows[0]?.id ?? '';
    const job = await queue.add('send-notification', { notificationId: done.id, outboxId: victim });
    await eventually('the forged job to end', 20_000, () => job.isCompleted());
    expect(await pipeline.seed.count('outbox', `id = ${victim}`)).toBe(1);
    await pipeline.pool.query('DELETE FROM outbox WHERE id = $1', [victim]);
  });

  it('tries again after 451 and gives up at once after 550, with a reason and a failed job (F24)', async () => {
    const queued = Promise.all([pipeline.seed.queueMail(), pipeline.seed.queueMail()]);
    let refusals = 0;
    // set before either is queued: a worker may have sent it by the time its address is known here
    pipeline.sink.atRecipient = async (to) => {
      const [greylisted, unknown] = await queued;
      if (to === greylisted.to && refusals < 2) {
        refusals += 1;
        return '451';
      }
      return to === unknown.to ? '550' : 'accept';
    };
    const [greylisted, unknown] = await queued;
    expect(await ended(unknown)).toMatchObject({ state: 'abandoned', lastError: 'smtp_550' });
    expect((await ended(greylisted)).state).toBe('sent');
    expect(refusals).toBe(2);
    expect(pipeline.sink.to(greylisted.to)).toHaveLength(1);
    const job = await eventually('the failed job', 20_000, () => queue.getJob(`o${unknown.outboxId}-0`));
    expect(job.failedReason).toBe('abandoned: smtp_550');
    expect(await pipeline.seed.count('outbox', `id = ${unknown.outboxId}`)).toBe(0);
  });

  it('keeps a message of a kind that only a newer worker knows, until there is one (S417)', async () => {
    // which the migration of that release has done before
    await pipeline.pool.query('ALTER TABLE notifications DROP CONSTRAINT notifications_template');
    const queued = pipeline.seed.queueMail();
    const rename = (id: string, template: string) =>
      pipeline.pool.query('UPDATE notifications SET template = $2 WHERE id = $1', [id, template]);
    let refused = false;
    // it becomes one of the next release between its first attempt and its second
    pipeline.sink.atRecipient = async (to) => {
      const mail = await queued;
      if (to !== mail.to || refused) return 'accept';
      refused = true;
      await rename(mail.id, 'of_the_next_release');
      return '451';
    };
    const mail = await queued;
    const job = await eventually('its job', 20_000, () => queue.getJob(`o${mail.outboxId}-0`));
    await eventually('another look at it', 30_000, async () => {
      return ((await queue.getJob(job.id ?? ''))?.attemptsStarted ?? 0) > 2;
    });
    expect(await pipeline.seed.stateOf(mail)).toMatchObject({ state: 'retrying' });
    expect(await pipeline.seed.count('outbox', `id = ${mail.outboxId}`)).toBe(1);
    await rename(mail.id, 'password_changed');
    expect((await ended(mail)).state).toBe('sent');
    expect(pipeline.sink.to(mail.to)).toHaveLength(1);
  });

  it('sends an ambiguous message once more and then never again (F25)', async () => {
    const queued = pipeline.seed.queueMail();
    pipeline.sink.atData = async (to) => (to === (await queued).to ? 'drop-after-taking' : 'accept');
    const mail = await queued;
    expect(await ended(mail)).toMatchObject({ state: 'abandoned', lastError: 'smtp_ambiguous' });
    const received = pipeline.sink.to(mail.to);
    expect(received).toHaveLength(2);
    expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it.each([
    ['user_inactive', `UPDATE users SET state = 'inactive' WHERE id = $1`, 'userId'],
    ['code_ended', `UPDATE verification_codes SET ended_at = now() WHERE id = $1`, 'codeId'],
    [
      'code_expired',
      `UPDATE notifications SET expires_at = now() - interval '1 s' WHERE code_id = $1`,
      'codeId',
    ],
  ] as const)('never sends what nobody should get any more: %s (F28, F46)', async (reason, change, key) => {
    const queued = pipeline.seed.queueMail();
    // the change commits while the first attempt is being refused
    pipeline.sink.atRecipient = async (to) => {
      const held = await queued;
      if (to !== held.to) return 'accept';
      await pipeline.pool.query(change, [held[key]]);
      return '451';
    };
    const held = await queued;
    expect(await ended(held)).toMatchObject({ state: 'abandoned', lastError: reason });
    expect(pipeline.sink.to(held.to)).toHaveLength(0);
    const job = await queue.getJob(`o${held.outboxId}-0`);
    await eventually('the job to complete', 20_000, async () => await job?.isCompleted());
  });

  it('lets an urgent mail overtake a mass mailing (F41)', async () => {
    pipeline.sink.atRecipient = () => 'accept';
    let held = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    pipeline.sink.atData = async () => {
      held += 1;
      await released;
      await sleep(50);
      return 'accept' as const;
    };
    const many = await Promise.all(
      Array.from({ length: 150 }, () => pipeline.seed.queueMail({ lane: 'bulk' })),
    );
    await eventually('the mass mailing', 20_000, () => held > 0);
    const urgent = await pipeline.seed.queueMail({ lane: 'priority' });
    // while those under way still hold the places of theirs: how quick either is does not matter then
    await eventually('a worker to take the urgent mail', 20_000, async () => {
      return (await pipeline.seed.stateOf(urgent)).state === 'sending';
    });
    release();
    await eventually('the urgent mail', 10_000, () => pipeline.sink.to(urgent.to).length === 1);
    const before = many.filter((mail) => pipeline.sink.to(mail.to).length > 0).length;
    expect(before).toBeLessThan(75);
    for (const mail of many) await ended(mail);
  });

  it('forgets a notification whose user was deleted', async () => {
    const queued = pipeline.seed.queueMail();
    pipeline.sink.atRecipient = async (to) => {
      const mail = await queued;
      if (to === mail.to) await pipeline.pool.query('DELETE FROM users WHERE id = $1', [mail.userId]);
      return to === mail.to ? '451' : 'accept';
    };
    const mail = await queued;
    await eventually('nothing queued', 20_000, async () => {
      return (await pipeline.seed.count('outbox', `id = ${mail.outboxId}`)) === 0;
    });
    expect(pipeline.sink.to(mail.to)).toHaveLength(0);
  });

  it('keeps names, addresses, codes and reasons with addresses out of Redis and out of the log (I6)', async () => {
    const dump = await pipeline.dumpRedis();
    expect(dump).toContain('note-');
    for (const told of [dump, pipeline.logs()]) {
      expect(told).not.toMatch(/SECRET|mail\.test|Lovelace|Ada/);
    }
  });
});
