import { Module } from '@nestjs/common';
import { LogoutNoticesStore } from '../../../domain/logout/logout-notices.store.js';
import { SessionsStore } from '../../../domain/sessions/sessions.store.js';
import { PgLogoutNoticesStore } from '../logout/logout-notices.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgSessionsStore } from './sessions.store.js';

/** Sessions, and who is notified of their end. */
@Module(storeBindings([SessionsStore, PgSessionsStore], [LogoutNoticesStore, PgLogoutNoticesStore]))
export class SessionsStorageModule {}
