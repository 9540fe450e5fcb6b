import { Module } from '@nestjs/common';
import { PoliciesStore } from '../../../domain/policies/policies.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgPoliciesStore } from './policies.store.js';

/** Policies of organizations, and settings of the instance. */
@Module(storeBindings([PoliciesStore, PgPoliciesStore]))
export class PoliciesStorageModule {}
