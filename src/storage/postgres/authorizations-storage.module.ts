import { Module } from '@nestjs/common';
import { AuthRequestsStore } from '../../domain/authorize/auth-requests.store.js';
import { ConsentsStore } from '../../domain/consents/consents.store.js';
import { ExchangesStore } from '../../domain/grants/exchange/exchanges.store.js';
import { GrantsStore } from '../../domain/tokens/grants.store.js';
import { StandingStore } from '../../domain/tokens/standing.store.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { PgAuthRequestsStore } from './pg-auth-requests.store.js';
import { PgConsentsStore } from './pg-consents.store.js';
import { PgExchangesStore } from './pg-exchanges.store.js';
import { PgGrantsStore } from './pg-grants.store.js';
import { PgStandingStore } from './pg-standing.store.js';
import { PgTokensStore } from './pg-tokens.store.js';
import { storeBindings } from './store-bindings.js';

/** What was asked for, agreed to, and issued. */
@Module(
  storeBindings(
    [AuthRequestsStore, PgAuthRequestsStore],
    [ConsentsStore, PgConsentsStore],
    [GrantsStore, PgGrantsStore],
    [TokensStore, PgTokensStore],
    [ExchangesStore, PgExchangesStore],
    [StandingStore, PgStandingStore],
  ),
)
export class AuthorizationsStorageModule {}
