import { Module } from '@nestjs/common';
import { AuthorizationsStore } from '../../../domain/authorizations/authorizations.store.js';
import { AuthRequestsStore } from '../../../domain/authorize/auth-requests.store.js';
import { UsedAssertionsStore } from '../../../domain/client-auth/used-assertions.store.js';
import { ConsentsStore } from '../../../domain/consents/consents.store.js';
import { DeviceAuthorizationsStore } from '../../../domain/device-authorizations/device-authorizations.store.js';
import { UsedProofsStore } from '../../../domain/dpop/used-proofs.store.js';
import { TokensStore } from '../../../domain/tokens/tokens.store.js';
import { PgAuthRequestsStore } from '../authorize/auth-requests.store.js';
import { PgUsedAssertionsStore } from '../client-auth/used-assertions.store.js';
import { PgConsentsStore } from '../consents/consents.store.js';
import { PgDeviceAuthorizationsStore } from '../device-authorizations/device-authorizations.store.js';
import { PgUsedProofsStore } from '../dpop/used-proofs.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgTokensStore } from '../tokens/tokens.store.js';
import { PgAuthorizationsStore } from './authorizations.store.js';

/** Authorization requests, consents, authorizations and tokens, and the proofs and assertions that requests use up. */
@Module(
  storeBindings(
    [AuthRequestsStore, PgAuthRequestsStore],
    [ConsentsStore, PgConsentsStore],
    [AuthorizationsStore, PgAuthorizationsStore],
    [DeviceAuthorizationsStore, PgDeviceAuthorizationsStore],
    [TokensStore, PgTokensStore],
    [UsedProofsStore, PgUsedProofsStore],
    [UsedAssertionsStore, PgUsedAssertionsStore],
  ),
)
export class AuthorizationsStorageModule {}
