import type { Provider } from '@nestjs/common';
import { EventsStore } from '../../domain/events/events.store.js';
import { HeartbeatsStore } from '../../domain/maintenance/heartbeats.store.js';
import { UpkeepStore } from '../../domain/maintenance/upkeep.store.js';
import { NotificationsStore } from '../../domain/notifications/notifications.store.js';
import { OutboxSignal } from '../../domain/outbox/outbox-signal.js';
import { OutboxStore } from '../../domain/outbox/outbox.store.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { PgEventsStore } from './pg-events.store.js';
import { PgHeartbeatsStore } from './pg-heartbeats.store.js';
import { PgNotificationsStore } from './pg-notifications.store.js';
import { PgOutboxSignal } from './pg-outbox-signal.js';
import { PgOutboxStore } from './pg-outbox.store.js';
import { PgUnitOfWork } from './pg-unit-of-work.js';
import { PgUpkeepStore } from './pg-upkeep.store.js';

/** Domain contract → its Postgres implementation. */
export const postgresStores: Provider[] = [
  { provide: UnitOfWork, useClass: PgUnitOfWork },
  { provide: EventsStore, useClass: PgEventsStore },
  { provide: HeartbeatsStore, useClass: PgHeartbeatsStore },
  { provide: NotificationsStore, useClass: PgNotificationsStore },
  { provide: OutboxSignal, useClass: PgOutboxSignal },
  { provide: OutboxStore, useClass: PgOutboxStore },
  { provide: UpkeepStore, useClass: PgUpkeepStore },
];
