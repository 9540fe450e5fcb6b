import { Module } from '@nestjs/common';
import { ProvisioningStore } from '../../../domain/scim/provisioning.store.js';
import { ScimTokensStore } from '../../../domain/scim/scim-tokens.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgProvisioningStore } from './provisioning.store.js';
import { PgScimTokensStore } from './scim-tokens.store.js';

/** Tokens of directories, and what those know users and groups by. */
@Module(storeBindings([ScimTokensStore, PgScimTokensStore], [ProvisioningStore, PgProvisioningStore]))
export class ScimStorageModule {}
