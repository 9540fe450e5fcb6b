import { Injectable } from '@nestjs/common';
import { FindQueues, type QueueView } from '../maintenance/find-queues.js';
import { isAlive, MaintenanceStore, type AnnouncedWorker } from '../maintenance/maintenance.store.js';
import {
  NotificationProvidersStore,
  type HealthOf,
} from '../notifications/providers/notification-providers.store.js';

/**
 * How the instance is doing, for people who look after it. What a probe asks of one process is in `ops/health.ts`; this is
 * about all of them together, and says what somebody should know or do.
 */
export const HEALTH_PARTS = ['api', 'postgres', 'redis', 'workers', 'queues', 'mail'] as const;

/** `warning`: it works, and somebody should look at it. */
export const HEALTH_STATES = ['good', 'warning', 'bad'] as const;
type HealthState = (typeof HEALTH_STATES)[number];

export const HEALTH_REASONS = [
  /** Redis does not answer the API: jobs wait in PostgreSQL. */
  'unreachable',
  /** No worker is alive. */
  'no_workers',
  /** A worker went without saying so. */
  'worker_silent',
  'versions_differ',
  /** Nobody has taken a job from a queue for minutes. */
  'not_worked',
  'paused',
  /** Jobs were given up, and nobody has looked at them. */
  'failed_jobs',
  /** Nothing sends mails: they wait. */
  'no_provider',
  /** Every provider of mails is paused or given a rest. */
  'provider_failing',
] as const;
type HealthReason = (typeof HEALTH_REASONS)[number];

interface PartHealth {
  readonly name: (typeof HEALTH_PARTS)[number];
  readonly state: HealthState;
  readonly reason?: HealthReason | undefined;
}

interface InstanceHealth {
  readonly parts: readonly PartHealth[];
  readonly workers: readonly AnnouncedWorker[];
}

/** Heartbeats travel through every queue much more often. */
const SILENT_MS = 180_000;

@Injectable()
export class FindHealth {
  constructor(
    private readonly findQueues: FindQueues,
    private readonly maintenance: MaintenanceStore,
    private readonly providers: NotificationProvidersStore,
  ) {}

  /** That it answers at all says that the API and PostgreSQL do. */
  async execute(): Promise<InstanceHealth> {
    const [queues, workers, mail] = await Promise.all([
      this.findQueues.execute(),
      this.maintenance.listWorkers(),
      this.mailReason(),
    ]);
    const isRedisAway = queues.some(({ counts }) => counts === undefined);
    return {
      parts: [
        { name: 'api', state: 'good' },
        { name: 'postgres', state: 'good' },
        part('redis', isRedisAway ? 'unreachable' : undefined),
        part('workers', reasonOfWorkers(workers)),
        part('queues', reasonOfQueues(queues)),
        part('mail', mail),
      ],
      workers,
    };
  }

  private async mailReason(): Promise<HealthReason | undefined> {
    const usable = await this.providers.usable('email');
    if (usable.length === 0) return 'no_provider';
    const failing = (await this.providers.health.list()).filter(
      ({ paused, openUntil }) => paused || openUntil !== undefined,
    );
    const isFailing = (provider: HealthOf) =>
      failing.some(({ id, version }) => id === provider.id && version === provider.version);
    return usable.every(isFailing) ? 'provider_failing' : undefined;
  }
}

const BAD: ReadonlySet<HealthReason> = new Set([
  'unreachable',
  'no_workers',
  'not_worked',
  'no_provider',
  'provider_failing',
]);

function part(name: PartHealth['name'], reason: HealthReason | undefined): PartHealth {
  if (reason === undefined) return { name, state: 'good' };
  return { name, reason, state: BAD.has(reason) ? 'bad' : 'warning' };
}

function reasonOfWorkers(workers: readonly AnnouncedWorker[]): HealthReason | undefined {
  const alive = workers.filter(isAlive);
  if (alive.length === 0) return 'no_workers';
  if (alive.length < workers.length) return 'worker_silent';
  return new Set(alive.map(({ version }) => version)).size > 1 ? 'versions_differ' : undefined;
}

function reasonOfQueues(queues: readonly QueueView[]): HealthReason | undefined {
  // paused by hand, nobody takes anything from it on purpose
  const isSilent = ({ heartbeatAgeMs, isPaused }: QueueView) =>
    isPaused !== true && (heartbeatAgeMs === undefined || heartbeatAgeMs > SILENT_MS);
  if (queues.some(isSilent)) return 'not_worked';
  if (queues.some(({ isPaused }) => isPaused)) return 'paused';
  return queues.some(({ counts }) => (counts?.failed ?? 0) > 0) ? 'failed_jobs' : undefined;
}
