import type { Provider } from '@nestjs/common';
import { InstanceStore } from '../../domain/orgs/instance.store.js';
import { SignInNamesStore } from '../../domain/sign-in/sign-in-names.store.js';
import { AuthRequestsStore } from '../../domain/authorize/auth-requests.store.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import { GrantsStore } from '../../domain/tokens/grants.store.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { KeysStore } from '../../domain/keys/keys.store.js';
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

import { PgKeysStore } from './pg-keys.store.js';

import { PgTokensStore } from './pg-tokens.store.js';

import { PgGrantsStore } from './pg-grants.store.js';

import { PgSessionsStore } from './pg-sessions.store.js';

import { PgAuthRequestsStore } from './pg-auth-requests.store.js';

import { PgSignInNamesStore } from './pg-sign-in-names.store.js';

import { PgInstanceStore } from './pg-instance.store.js';

/** Domain contract → its Postgres implementation. */
export const postgresStores: Provider[] = [
  { provide: UnitOfWork, useClass: PgUnitOfWork },
  { provide: EventsStore, useClass: PgEventsStore },
  { provide: HeartbeatsStore, useClass: PgHeartbeatsStore },
  { provide: NotificationsStore, useClass: PgNotificationsStore },
  { provide: OutboxSignal, useClass: PgOutboxSignal },
  { provide: OutboxStore, useClass: PgOutboxStore },
  { provide: UpkeepStore, useClass: PgUpkeepStore },
  { provide: KeysStore, useClass: PgKeysStore },
  { provide: TokensStore, useClass: PgTokensStore },
  { provide: GrantsStore, useClass: PgGrantsStore },
  { provide: SessionsStore, useClass: PgSessionsStore },
  { provide: AuthRequestsStore, useClass: PgAuthRequestsStore },
  { provide: SignInNamesStore, useClass: PgSignInNamesStore },
  { provide: InstanceStore, useClass: PgInstanceStore },
];
