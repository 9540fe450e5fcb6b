import { Module } from '@nestjs/common';
import { AlarmsStore } from '../../domain/events/alarms.store.js';
import { EventLogStore } from '../../domain/events/event-log.store.js';
import { EventsStore } from '../../domain/events/events.store.js';
import { IdempotencyStore } from '../../domain/idempotency/idempotency.store.js';
import { HeartbeatsStore } from '../../domain/maintenance/heartbeats.store.js';
import { UpkeepStore } from '../../domain/maintenance/upkeep.store.js';
import { OutboxSignal } from '../../domain/outbox/outbox-signal.js';
import { OutboxStore } from '../../domain/outbox/outbox.store.js';
import { PgAlarmsStore } from './pg-alarms.store.js';
import { PgEventLogStore } from './pg-event-log.store.js';
import { PgEventsStore } from './pg-events.store.js';
import { PgHeartbeatsStore } from './pg-heartbeats.store.js';
import { PgIdempotencyStore } from './pg-idempotency.store.js';
import { PgOutboxSignal } from './pg-outbox-signal.js';
import { PgOutboxStore } from './pg-outbox.store.js';
import { PgUpkeepStore } from './pg-upkeep.store.js';
import { storeBindings } from './store-bindings.js';

/** What happened, what is owed to the queues, and what the processes keep in order. */
@Module(
  storeBindings(
    [EventsStore, PgEventsStore],
    [EventLogStore, PgEventLogStore],
    [AlarmsStore, PgAlarmsStore],
    [OutboxStore, PgOutboxStore],
    [OutboxSignal, PgOutboxSignal],
    [HeartbeatsStore, PgHeartbeatsStore],
    [UpkeepStore, PgUpkeepStore],
    [IdempotencyStore, PgIdempotencyStore],
  ),
)
export class OperationsStorageModule {}
