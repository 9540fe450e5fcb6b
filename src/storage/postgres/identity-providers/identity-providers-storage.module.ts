import { Module } from '@nestjs/common';
import { ExternalSignInsStore } from '../../../domain/identity-providers/external-sign-ins.store.js';
import { UserIdentitiesStore } from '../../../domain/identity-providers/identities/user-identities.store.js';
import { IdentityProvidersStore } from '../../../domain/identity-providers/identity-providers.store.js';
import { ProviderSignOutsStore } from '../../../domain/identity-providers/provider-sign-outs.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgExternalSignInsStore } from './external-sign-ins.store.js';
import { PgIdentityProvidersStore } from './identity-providers.store.js';
import { PgProviderSignOutsStore } from './provider-sign-outs.store.js';
import { PgUserIdentitiesStore } from './user-identities.store.js';

/** Whoever else people sign in with, and who they are there. */
@Module(
  storeBindings(
    [IdentityProvidersStore, PgIdentityProvidersStore],
    [UserIdentitiesStore, PgUserIdentitiesStore],
    [ExternalSignInsStore, PgExternalSignInsStore],
    [ProviderSignOutsStore, PgProviderSignOutsStore],
  ),
)
export class IdentityProvidersStorageModule {}
