import { Module } from '@nestjs/common';
import { InstanceStore } from '../../domain/orgs/instance.store.js';
import { OrganizationDomainsStore } from '../../domain/orgs/organization-domains.store.js';
import { OrganizationRecordsStore } from '../../domain/orgs/organization-records.store.js';
import { OrganizationRemainsStore } from '../../domain/orgs/organization-remains.store.js';
import { OrgsStore } from '../../domain/orgs/orgs.store.js';
import { PgInstanceStore } from './pg-instance.store.js';
import { PgOrganizationDomainsStore } from './pg-organization-domains.store.js';
import { PgOrganizationRecordsStore } from './pg-organization-records.store.js';
import { PgOrganizationRemainsStore } from './pg-organization-remains.store.js';
import { PgOrgsStore } from './pg-orgs.store.js';
import { storeBindings } from './store-bindings.js';

/** Organizations, their domains, and the instance that they live in. */
@Module(
  storeBindings(
    [OrgsStore, PgOrgsStore],
    [OrganizationRecordsStore, PgOrganizationRecordsStore],
    [OrganizationDomainsStore, PgOrganizationDomainsStore],
    [OrganizationRemainsStore, PgOrganizationRemainsStore],
    [InstanceStore, PgInstanceStore],
  ),
)
export class OrganizationsStorageModule {}
