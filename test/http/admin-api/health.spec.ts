import { beforeEach, describe, expect, it } from 'vitest';
import { MaintenanceStore } from '../../../src/domain/maintenance/maintenance.store.js';
import { Counters } from '../../../src/domain/statistics/counters.js';
import { FlushCounters } from '../../../src/domain/statistics/flush-counters.js';
import { BULL_QUEUE_NAMES } from '../../../src/queues/job-queues.js';
import { given } from '../../support/given.js';
import { toHalfPast } from '../../support/half-past.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

const HEALTH = '/admin/v1/health';
const JOBS = '/admin/v1/queues/statistics';

interface Health {
  readonly parts: readonly { readonly name: string; readonly state: string; readonly reason?: string }[];
  readonly workers: readonly Readonly<Record<string, unknown>>[];
}

const { api, world } = useWorld({ SMTP_URL: 'smtp://mail.test:25' });
const viewer = given(() => aServiceUser(world, 'IAM_OWNER_VIEWER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const worker = (id: string, version = '1.0.0') => ({ id, host: 'here', version, queues: ['imports'] });
const maintenance = () => api.app.get(MaintenanceStore);

async function health(): Promise<Health> {
  const answer = await viewer.call('GET', HEALTH);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Health>();
}

const partsOf = ({ parts }: Health) =>
  Object.fromEntries(parts.map(({ name, state, reason }) => [name, reason ?? state]));

beforeEach(async () => {
  await api.sql.query('DELETE FROM workers; DELETE FROM notification_provider_health');
  await Promise.all(BULL_QUEUE_NAMES.map((queue) => maintenance().recordHeartbeat(queue, 'here:1')));
});

describe('the health of the instance', () => {
  it('is good while workers are heard and queues are worked', async () => {
    await maintenance().announceWorker(worker('a'));
    const found = await health();
    expect(partsOf(found)).toEqual({
      api: 'good',
      postgres: 'good',
      redis: 'good',
      workers: 'good',
      queues: 'good',
      mail: 'good',
    });
    expect(found.workers).toEqual([
      {
        ...worker('a'),
        alive: true,
        startedAt: expect.stringMatching(/Z$/) as string,
        seenAt: expect.stringMatching(/Z$/) as string,
      },
    ]);
  });

  it('says which workers there are, and what is wrong with them', async () => {
    expect(partsOf(await health())).toMatchObject({ workers: 'no_workers' });
    await maintenance().announceWorker(worker('a'));
    await maintenance().announceWorker(worker('b', '1.1.0'));
    expect(partsOf(await health())).toMatchObject({ workers: 'versions_differ' });
    await api.advance(90);
    await maintenance().announceWorker(worker('b', '1.1.0'));
    const found = await health();
    expect(partsOf(found)).toMatchObject({ workers: 'worker_silent' });
    expect(found.workers.map(({ id, alive }) => [id, alive])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  it('says that a queue is not worked', async () => {
    await api.advance(200);
    await maintenance().recordHeartbeat('keys', 'here:1');
    expect(partsOf(await health())).toMatchObject({ queues: 'not_worked' });
  });

  it('says that every provider of mails fails', async () => {
    await api.sql.query(
      `INSERT INTO notification_provider_health (provider_id, version, failures, openings, open_until, paused, reason)
       VALUES ('config-smtp', $1, 5, 1, now() + interval '1 h', true, 'smtp_535')`,
      [await versionOfSmtp()],
    );
    expect(partsOf(await health())).toMatchObject({ mail: 'provider_failing' });
  });

  it('is for those who look after the instance', async () => {
    for (const path of [HEALTH, JOBS]) expect((await owner.call('GET', path)).statusCode).toBe(403);
  });
});

async function versionOfSmtp(): Promise<string> {
  const { NotificationProvidersStore } =
    await import('../../../src/domain/notifications/providers/notification-providers.store.js');
  const [smtp] = await api.app.get(NotificationProvidersStore).usable('email');
  return smtp?.version ?? '';
}

describe('what queues did', () => {
  it('is counted by queue and hour, failures beside', async () => {
    await toHalfPast(api);
    const counters = api.app.get(Counters);
    counters.add(null, 'jobs.imports.completed', 3);
    counters.add(null, 'jobs.imports.failed');
    counters.add(null, 'jobs.unheard-of.completed');
    await api.app.get(FlushCounters).flush();
    const { result } = (await viewer.call('GET', JOBS)).json<{
      result: { name: string; periods: { completed: number; failed: number }[] }[];
    }>();
    expect(result.map(({ name }) => name)).toEqual([...BULL_QUEUE_NAMES]);
    const imports = result.find(({ name }) => name === 'imports');
    expect(imports?.periods).toHaveLength(24);
    expect(imports?.periods.at(-1)).toMatchObject({ completed: 3, failed: 1 });
    expect(result.find(({ name }) => name === 'keys')?.periods.at(-1)).toMatchObject({
      completed: 0,
      failed: 0,
    });
    expect((await viewer.call('GET', `${JOBS}?range=2d`)).statusCode).toBe(400);
  });
});
