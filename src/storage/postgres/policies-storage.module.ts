import { Module } from '@nestjs/common';
import { InstanceSettingsStore } from '../../domain/policies/instance-settings.store.js';
import { PoliciesStore } from '../../domain/policies/policies.store.js';
import { PgInstanceSettingsStore } from './policies/instance-settings.store.js';
import { PgPoliciesStore } from './policies/policies.store.js';
import { storeBindings } from './store-bindings.js';

/** What organizations and the instance have decided for themselves. */
@Module(storeBindings([PoliciesStore, PgPoliciesStore], [InstanceSettingsStore, PgInstanceSettingsStore]))
export class PoliciesStorageModule {}
