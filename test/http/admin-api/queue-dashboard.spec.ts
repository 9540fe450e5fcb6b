import { Worker } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { JobQueues } from '../../../src/queues/job-queues.js';
import { hiddenFields, TestBrowser } from '../../support/browser-flow.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// Who sees the queues and who may change them. What the board shows is in test/workers/queue-dashboard.spec.ts.

const PAUSE = '/admin/queues/api/queues/keys/pause';
const QUEUES = '/admin/queues/api/queues';

const { api, world: home } = useWorld({ QUEUE_DASHBOARD_WRITES: 'true' });

async function signedIn(role?: string): Promise<{ browser: TestBrowser; user: TestUser }> {
  const user = await aUser(home);
  if (role !== undefined) {
    const orgId = role.startsWith('IAM_') ? null : home.orgId;
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, $3, $4)`,
      [user.userId, home.orgId, role, orgId],
    );
  }
  const browser = new TestBrowser(api);
  const begun = await browser.get('/login?destination=queues');
  const page = await browser.get(begun.headers.location ?? '');
  const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
  const answered = await browser.post('/login?destination=queues', form);
  expect(answered.headers.location).toBe('/admin/queues');
  return { browser, user };
}

async function put(browser: TestBrowser, url: string, headers: Record<string, string>): Promise<number> {
  const cookie = browser.cookieHeader;
  return (await api.app.inject({ method: 'PUT', url, headers: { cookie, ...headers } })).statusCode;
}

async function events(): Promise<unknown[]> {
  const { rows } = await api.sql.query(
    `SELECT type, aggregate_id, actor_id FROM events WHERE aggregate_type = 'queue' ORDER BY position`,
  );
  return rows;
}

/** A job of the queue `keys`, which a worker took and failed at. */
async function failedJob(jobId: string): Promise<void> {
  await api.app.get(JobQueues).queue('keys').add('look-after-keys', {}, { jobId });
  const { redis, queues } = api.config;
  const worker = new Worker('keys', null, { connection: { url: redis.url }, prefix: queues.prefix });
  const job = await worker.getNextJob('test', { block: false });
  expect(job?.id).toBe(jobId);
  await job?.moveToFailed(new Error('on purpose'), 'test', false);
  await worker.close();
}

describe('the queue dashboard', () => {
  it.each([
    ['IAM_OWNER', 200],
    ['IAM_OWNER_VIEWER', 200],
    ['ORG_OWNER', 403],
    ['ORG_OWNER_VIEWER', 403],
    [undefined, 403],
  ] as const)('answers %s with %i', async (role, status) => {
    const { browser } = await signedIn(role);
    expect((await browser.get('/admin/queues')).statusCode).toBe(status);
    await expect.poll(async () => (await browser.get(QUEUES)).statusCode).toBe(status);
  });

  it('is changed by instance owners alone, from its own page, with an event that names them (S221, S222)', async () => {
    const ours = { origin: api.config.issuer.url, 'sec-fetch-site': 'same-origin' };
    const { browser: viewer } = await signedIn('IAM_OWNER_VIEWER');
    const { browser, user } = await signedIn('IAM_OWNER');
    await expect.poll(async () => (await browser.get(QUEUES)).statusCode).toBe(200);
    expect(await put(viewer, PAUSE, ours)).toBe(403);
    expect(await put(new TestBrowser(api), PAUSE, ours)).toBe(401);
    expect(await put(browser, PAUSE, {})).toBe(403);
    expect(await put(browser, PAUSE, { origin: 'https://evil.test' })).toBe(403);
    expect(await put(browser, PAUSE, { ...ours, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await events()).toEqual([]);
    expect(await put(browser, PAUSE, ours)).toBe(200);
    expect(await put(browser, PAUSE.replace('pause', 'resume'), ours)).toBe(200);
    const byThem = { aggregate_id: 'keys', actor_id: user.userId };
    expect(await events()).toEqual([
      { type: 'queue.paused', ...byThem },
      { type: 'queue.resumed', ...byThem },
    ]);
    // the role is asked for again each time
    await api.sql.query(`DELETE FROM memberships WHERE user_id = $1`, [user.userId]);
    expect(await put(browser, PAUSE, ours)).toBe(403);
    expect(await events()).toHaveLength(2);
  });

  it('retries and promotes, one job or all, each with an event (S222)', async () => {
    const { browser, user } = await signedIn('IAM_OWNER');
    await expect.poll(async () => (await browser.get(QUEUES)).statusCode).toBe(200);
    const keys = api.app.get(JobQueues).queue('keys');
    const before = (await events()).length;
    const asked = async (path: string): Promise<number> => {
      const headers = { origin: api.config.issuer.url, 'sec-fetch-site': 'same-origin' };
      return await put(browser, `${QUEUES}/keys/${path}`, headers);
    };
    const stateOf = async (jobId: string): Promise<string> => await keys.getJobState(jobId);

    await failedJob('failed-once');
    expect(await asked('failed-once/retry')).toBe(204);
    expect(await stateOf('failed-once')).toBe('waiting');
    await keys.remove('failed-once');

    await failedJob('failed-too');
    expect(await asked('retry/failed')).toBe(200);
    expect(await stateOf('failed-too')).toBe('waiting');

    for (const jobId of ['later', 'much-later'])
      await keys.add('look-after-keys', {}, { jobId, delay: 3_600_000 });
    expect(await asked('later/promote')).toBe(204);
    expect(await stateOf('later')).toBe('waiting');
    expect(await stateOf('much-later')).toBe('delayed');
    expect(await asked('promote')).toBe(200);
    expect(await stateOf('much-later')).toBe('waiting');

    const ofKeys = { aggregate_id: 'keys', actor_id: user.userId };
    expect((await events()).slice(before)).toEqual([
      { type: 'queue.job.retried', ...ofKeys },
      { type: 'queue.failed.retried', ...ofKeys },
      { type: 'queue.job.promoted', ...ofKeys },
      { type: 'queue.delayed.promoted', ...ofKeys },
    ]);
  });
});
