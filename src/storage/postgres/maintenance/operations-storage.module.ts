import { Module } from '@nestjs/common';
import { EventsStore } from '../../../domain/events/events.store.js';
import { IdempotencyStore } from '../../../domain/idempotency/idempotency.store.js';
import { MaintenanceStore } from '../../../domain/maintenance/maintenance.store.js';
import { RestoreStore } from '../../../domain/maintenance/restore.store.js';
import { OutboxSignal } from '../../../domain/outbox/outbox-signal.js';
import { OutboxStore } from '../../../domain/outbox/outbox.store.js';
import { RequestDelaySignal } from '../../../domain/request-delay/request-delay-signal.js';
import { StatisticsStore } from '../../../domain/statistics/statistics.store.js';
import { PgEventsStore } from '../events/events.store.js';
import { PgIdempotencyStore } from '../idempotency/idempotency.store.js';
import { PgOutboxSignal } from '../outbox/outbox-signal.js';
import { PgOutboxStore } from '../outbox/outbox.store.js';
import { PgRequestDelaySignal } from '../request-delay/request-delay-signal.js';
import { PgStatisticsStore } from '../statistics/statistics.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgMaintenanceStore } from './maintenance.store.js';
import { PgRestoreStore } from './restore.store.js';

/** Events, the outbox, maintenance, idempotency keys and statistics. */
@Module(
  storeBindings(
    [EventsStore, PgEventsStore],
    [OutboxStore, PgOutboxStore],
    [OutboxSignal, PgOutboxSignal],
    [MaintenanceStore, PgMaintenanceStore],
    [RestoreStore, PgRestoreStore],
    [IdempotencyStore, PgIdempotencyStore],
    [RequestDelaySignal, PgRequestDelaySignal],
    [StatisticsStore, PgStatisticsStore],
  ),
)
export class OperationsStorageModule {}
