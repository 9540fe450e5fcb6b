import { Module } from '@nestjs/common';
import { PoliciesStore } from '../../../domain/policies/policies.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgPoliciesStore } from './policies.store.js';

/** What organizations and the instance have decided for themselves. */
@Module(storeBindings([PoliciesStore, PgPoliciesStore]))
export class PoliciesStorageModule {}
