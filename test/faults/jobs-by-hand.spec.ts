import { describe, expect, it } from 'vitest';
import { eventually } from '../workers/support/eventually.js';
import { expectInvariants } from './support/invariants.js';
import { ndjson, people } from './support/people.js';
import { onSite, SLOW } from './support/site.js';

describe('jobs and requests arrive more than once, too early, or are taken away', () => {
  it('F18: the same chunk is published ten times, under one id and under ten, to five workers', async () => {
    await onSite(async (site) => {
      const job = await site.upload(people(1_000));
      await eventually('chunks in line', 10_000, async () => {
        return (await site.count('import_chunks', `state = 'queued'`)) > 0;
      });
      const { rows } = await site.pool.query<{ id: string; payload: object }>(
        `SELECT id::text, payload FROM outbox WHERE queue = 'imports' AND job_name = 'import-chunk'`,
      );
      expect(rows.length).toBeGreaterThan(0);
      const queue = site.queue('imports');
      const copies = rows.flatMap(({ id, payload }) =>
        Array.from({ length: 20 }, (_, copy) => ({
          name: 'import-chunk',
          data: { ...payload, outboxId: id },
          opts: { attempts: 5, jobId: copy < 10 ? `same-${id}` : `copy-${copy}-${id}` },
        })),
      );
      await queue.addBulk(copies);
      await site.startWorkers(5);
      expect(await site.untilEnded(job.id)).toBe('done');
      await eventually('every copy to end', 150_000, async () => {
        const ids = new Set(copies.map(({ opts }) => opts.jobId));
        const states = await Promise.all([...ids].map((id) => queue.getJobState(id)));
        return states.every((state) => state === 'completed');
      });
      expect(await site.people()).toBe(1_000);
      await expectInvariants(site);
    });
  });

  it('F20: a job is enqueued for work that was rolled back: it is dropped without any effect', async () => {
    await onSite(async (site) => {
      const [worker] = await site.startWorkers(1);
      const job = await site.upload(people(200));
      await site.untilEnded(job.id);
      const queue = site.queue('imports');
      const nothing = { jobId: 'rolled-back-rolled-back', number: 1, outboxId: '987654321' };
      for (const name of ['import-chunk', 'follow-import', 'undo-import-chunk', 'notify-import-chunk']) {
        await queue.add(name, nothing, { jobId: `early-${name}`, attempts: 5 });
      }
      await eventually('all to be dropped', 30_000, async () => {
        const states = await Promise.all(
          ['import-chunk', 'follow-import', 'undo-import-chunk', 'notify-import-chunk'].map((name) =>
            queue.getJobState(`early-${name}`),
          ),
        );
        return states.every((state) => state === 'completed');
      });
      const { body } = (await worker?.ops('/metrics')) ?? { body: '' };
      expect(body).toContain('identity_import_chunks_total{outcome="finished"}');
      expect(await site.people()).toBe(200);
      await expectInvariants(site);
    });
  });

  it('F21: the answer is lost and the file comes again: with the key the same import, without it one that skips all', async () => {
    await onSite(async (site) => {
      await site.startWorkers(2);
      const file = people(1_500);
      const key = 'f21-the-same-request';
      const first = await site.upload(file, { key });
      const [again, atOnce] = await Promise.all([site.upload(file, { key }), site.upload(file, { key })]);
      expect([again.id, atOnce.id]).toEqual([first.id, first.id]);
      const second = await site.upload(file);
      expect(second.id).not.toBe(first.id);
      expect(await site.untilEnded(first.id)).toBe('done');
      expect(await site.untilEnded(second.id)).toBe('done');
      const third = await site.upload(file);
      expect(await site.untilEnded(third.id)).toBe('done');
      const counts = await Promise.all(
        [first, second, third].map(async ({ id }) => (await site.job(id)).counts),
      );
      // the first two ran side by side: whoever came to a person first brought them in
      expect((counts[0]?.created ?? 0) + (counts[1]?.created ?? 0)).toBe(1_500);
      expect(counts[2]).toMatchObject({ created: 0, skipped: 1_500, failed: 0 });
      expect(counts.map((one) => one.failed)).toEqual([0, 0, 0]);
      expect(await site.people()).toBe(1_500);
      await expectInvariants(site);
    });
  });

  it('F43: an operator drains, cleans, retries and obliterates the queues in the middle of imports', async () => {
    await onSite(async (site) => {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(3_000));
      const other = await site.upload(people(500));
      const [imports, notifications] = [site.queue('imports'), site.queue('notifications')];
      const deeds = [
        () => imports.drain(true),
        () => imports.clean(0, 10_000, 'completed'),
        () => imports.retryJobs({ state: 'completed' }),
        () => notifications.drain(true),
        () => notifications.retryJobs({ state: 'completed' }),
        () => imports.obliterate({ force: true }),
      ];
      for (const [index, deed] of deeds.entries()) {
        await site.untilProgress(job.id, (index + 1) * 200);
        await deed();
      }
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.untilEnded(other.id)).toBe('done');
      await imports.retryJobs({ state: 'completed' });
      expect(await site.people()).toBe(3_500);
      await expectInvariants(site);
    });
  });

  it('F44: an import is paused and resumed, cancelled half-way, again, and after its end', async () => {
    await onSite(async (site) => {
      await site.startWorkers(2, SLOW);
      const job = await site.upload(people(3_000));
      await site.untilProgress(job.id, 500);
      expect((await site.step(job.id, 'pause')).status).toBe(200);
      await eventually('the pause to hold', 20_000, async () => {
        return (await site.count('import_chunks', `state IN ('queued', 'running')`)) === 0;
      });
      const paused = await site.progress(job.id);
      expect(paused).toBe(await site.people());
      expect(paused).toBeLessThan(3_000);
      expect(paused % 100).toBe(0);
      expect((await site.step(job.id, 'resume')).status).toBe(200);
      await site.untilProgress(job.id, 1_500);
      const stops = await Promise.all([site.step(job.id, 'cancel'), site.step(job.id, 'cancel')]);
      expect(stops.map(({ status }) => status)).toContain(200);
      expect(await site.untilEnded(job.id)).toBe('cancelled');
      const { counts } = await site.job(job.id);
      expect(counts.created).toBe(await site.people());
      expect(counts.created).toBeLessThan(3_000);
      expect((await site.step(job.id, 'cancel')).status).not.toBe(500);
      expect((await site.step(job.id, 'resume')).status).toBe(400);
      expect(await site.stateOf(job.id)).toBe('cancelled');

      const whole = await site.upload(people(200));
      expect(await site.untilEnded(whole.id)).toBe('done');
      await site.step(whole.id, 'cancel');
      expect(await site.stateOf(whole.id)).toBe('done');
      await expectInvariants(site);
    });
  });

  it('F45: an upload is cut off: nothing of it is imported, and it can be sent again', async () => {
    await onSite(async (site) => {
      await site.startWorkers(1);
      const file = people(5_000);
      const text = ndjson(file);
      const cut = new AbortController();
      const begun = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from(text.slice(0, text.length / 2));
        await eventually('half of the file', 30_000, async () => (await site.count('import_chunks')) > 5);
        cut.abort();
      };
      const lost = fetch(`${site.origin}/management/v1/imports?mode=skip`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${site.credentials.serviceUser.pat}`,
          'content-type': 'application/x-ndjson',
          'idempotency-key': 'f45',
        },
        body: ReadableStream.from(begun()) as unknown as ReadableStream,
        duplex: 'half',
        signal: cut.signal,
      });
      await expect(lost).rejects.toThrow();
      await eventually('the import to fail', 20_000, async () => {
        return (await site.count('imports', `state = 'failed' AND reason = 'source_incomplete'`)) === 1;
      });
      expect(await site.people()).toBe(0);
      expect(await site.count('import_chunks', 'payload IS NOT NULL')).toBe(0);
      const job = await site.upload(file, { key: 'f45' });
      expect(await site.untilEnded(job.id)).toBe('done');
      expect(await site.people()).toBe(5_000);
      await expectInvariants(site);
    });
  });
});

describe('whose import it is goes while it is queued (F46)', () => {
  it('F46: the user who began it is deleted', async () => {
    await onSite(async (site) => {
      const importer = await site.addImporter();
      const job = await site.upload(people(1_500), { pat: importer.pat });
      await site.startWorkers(1, SLOW);
      await site.untilProgress(job.id, 100);
      expect((await site.call('DELETE', `users/${importer.id}`)).status).toBe(200);
      expect(await site.untilEnded(job.id)).toBe('cancelled');
      expect(await site.job(job.id)).toMatchObject({ state: 'cancelled', reason: 'caller_removed' });
      expect((await site.job(job.id)).counts.created).toBe(await site.people());
      expect(await site.people()).toBeLessThan(1_500);
      await expectInvariants(site);
    });
  });

  it('F46: the token it was begun with is revoked', async () => {
    await onSite(async (site) => {
      const importer = await site.addImporter();
      const job = await site.upload(people(500), { pat: importer.pat });
      const revoked = await site.call('DELETE', `users/${importer.id}/pats/${importer.patId}`);
      expect([revoked.status, revoked.body]).toEqual([200, expect.anything()]);
      expect((await site.call('GET', `imports/${job.id}`, importer.pat)).status).toBe(401);
      await site.startWorkers(1);
      expect(await site.untilEnded(job.id)).toBe('cancelled');
      expect(await site.job(job.id)).toMatchObject({ state: 'cancelled', reason: 'token_revoked' });
      await expectInvariants(site);
    });
  });

  it('F46: its organization is removed, with mails of it waiting', async () => {
    await onSite(async (site) => {
      const { orgId, pat } = await site.addOrganization();
      const records = people(1_500).map((one) => ({
        ...one,
        email: { email: `${one.userName}@marker.test` },
      }));
      const job = await site.upload(records, { pat });
      const worker = await site.startWorker({ ...SLOW, WORKER_QUEUES: 'imports' });
      await site.untilProgress(job.id, 300);
      const removed = await site.call('DELETE', 'orgs/me', pat);
      expect([removed.status, removed.body]).toEqual([200, expect.anything()]);
      expect(await site.untilEnded(job.id)).toBe('cancelled');
      const { rows } = await site.pool.query('SELECT reason FROM imports WHERE id = $1', [job.id]);
      expect(rows).toEqual([{ reason: 'organization_removed' }]);
      const written = await site.progress(job.id);
      expect(written).toBeLessThan(1_500);
      worker.signal('SIGTERM');
      await worker.exited;
      await site.startWorker();
      // the organization itself is erased later
      await site.untilNothingQueued(90_000, `queue IN ('imports', 'notifications')`);
      expect(site.sink.received).toEqual([]);
      expect(await site.count('notifications', `org_id = '${orgId}' AND state <> 'abandoned'`)).toBe(0);
    });
  });
});
