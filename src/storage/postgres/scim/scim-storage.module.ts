import { Module } from '@nestjs/common';
import { ProvisionedGroupsStore } from '../../../domain/scim/provisioned-groups.store.js';
import { ProvisionedUsersStore } from '../../../domain/scim/provisioned-users.store.js';
import { ScimTokensStore } from '../../../domain/scim/scim-tokens.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgProvisionedGroupsStore } from './provisioned-groups.store.js';
import { PgProvisionedUsersStore } from './provisioned-users.store.js';
import { PgScimTokensStore } from './scim-tokens.store.js';

/** Tokens of directories, and what those know users and groups by. */
@Module(
  storeBindings(
    [ScimTokensStore, PgScimTokensStore],
    [ProvisionedUsersStore, PgProvisionedUsersStore],
    [ProvisionedGroupsStore, PgProvisionedGroupsStore],
  ),
)
export class ScimStorageModule {}
