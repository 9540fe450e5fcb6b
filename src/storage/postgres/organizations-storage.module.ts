import { Module } from '@nestjs/common';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { OrganizationDomainsStore } from '../../domain/organizations/organization-domains.store.js';
import { OrganizationErasureStore } from '../../domain/organizations/organization-erasure.store.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import { PgInstanceStore } from './organizations/instance.store.js';
import { PgOrganizationDomainsStore } from './organizations/organization-domains.store.js';
import { PgOrganizationErasureStore } from './organizations/organization-erasure.store.js';
import { PgOrganizationsStore } from './organizations/organizations.store.js';
import { storeBindings } from './store-bindings.js';

/** Organizations, their domains, and the instance that they live in. */
@Module(
  storeBindings(
    [OrganizationsStore, PgOrganizationsStore],
    [OrganizationDomainsStore, PgOrganizationDomainsStore],
    [OrganizationErasureStore, PgOrganizationErasureStore],
    [InstanceStore, PgInstanceStore],
  ),
)
export class OrganizationsStorageModule {}
