import { Module } from '@nestjs/common';
import { ProviderRequestsStore } from '../../../domain/external-sign-in/provider-requests.store.js';
import { UserIdentitiesStore } from '../../../domain/identity-providers/identities/user-identities.store.js';
import { IdentityProvidersStore } from '../../../domain/identity-providers/identity-providers.store.js';
import { PgProviderRequestsStore } from '../external-sign-in/provider-requests.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgIdentityProvidersStore } from './identity-providers.store.js';
import { PgUserIdentitiesStore } from './user-identities.store.js';

/** Identity providers, the identities of users there, and sign-ins under way. */
@Module(
  storeBindings(
    [IdentityProvidersStore, PgIdentityProvidersStore],
    [UserIdentitiesStore, PgUserIdentitiesStore],
    [ProviderRequestsStore, PgProviderRequestsStore],
  ),
)
export class IdentityProvidersStorageModule {}
