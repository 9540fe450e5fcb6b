import { Module } from '@nestjs/common';
import { InstanceStore } from '../../../domain/organizations/instance.store.js';
import { OrganizationsStore } from '../../../domain/organizations/organizations.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgInstanceStore } from './instance.store.js';
import { PgOrganizationsStore } from './organizations.store.js';

/** Organizations, their domains, and the instance that they live in. */
@Module(storeBindings([OrganizationsStore, PgOrganizationsStore], [InstanceStore, PgInstanceStore]))
export class OrganizationsStorageModule {}
