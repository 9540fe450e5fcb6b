import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApplicationsStorageModule } from './postgres/applications/applications-storage.module.js';
import { AuthorizationsStorageModule } from './postgres/authorizations/authorizations-storage.module.js';
import { ClientRegistrationStorageModule } from './postgres/client-registration/client-registration-storage.module.js';
import { IdentityProvidersStorageModule } from './postgres/identity-providers/identity-providers-storage.module.js';
import { ImportsStorageModule } from './postgres/imports/imports-storage.module.js';
import { LaggingReads } from './postgres/lagging-reads.js';
import { OperationsStorageModule } from './postgres/maintenance/operations-storage.module.js';
import { NotificationsStorageModule } from './postgres/notifications/notifications-storage.module.js';
import { OrganizationsStorageModule } from './postgres/organizations/organizations-storage.module.js';
import { PermissionsStorageModule } from './postgres/permissions/permissions-storage.module.js';
import { PoliciesStorageModule } from './postgres/policies/policies-storage.module.js';
import { PostgresModule } from './postgres/postgres.module.js';
import { ProjectsStorageModule } from './postgres/projects/projects-storage.module.js';
import { ScimStorageModule } from './postgres/scim/scim-storage.module.js';
import { ServiceUsersStorageModule } from './postgres/service-users/service-users-storage.module.js';
import { SessionsStorageModule } from './postgres/sessions/sessions-storage.module.js';
import { SigningKeysStorageModule } from './postgres/signing-keys/signing-keys-storage.module.js';
import { PipelinedConnections } from './postgres/throughput/pipelined-connections.js';
import { UserMigrationStorageModule } from './postgres/user-migration/user-migration-storage.module.js';
import { UsersStorageModule } from './postgres/users/users-storage.module.js';
import { WebhooksStorageModule } from './postgres/webhooks/webhooks-storage.module.js';

const parts = [
  PostgresModule,
  ApplicationsStorageModule,
  AuthorizationsStorageModule,
  ClientRegistrationStorageModule,
  IdentityProvidersStorageModule,
  ImportsStorageModule,
  NotificationsStorageModule,
  OperationsStorageModule,
  OrganizationsStorageModule,
  PermissionsStorageModule,
  PoliciesStorageModule,
  ProjectsStorageModule,
  ScimStorageModule,
  ServiceUsersStorageModule,
  SessionsStorageModule,
  SigningKeysStorageModule,
  UserMigrationStorageModule,
  UsersStorageModule,
  WebhooksStorageModule,
];

/** What is remembered. Global: it binds contracts that the domain declares and cannot import. */
@Global()
@Module({ imports: parts, exports: parts })
export class StorageModule implements OnApplicationShutdown {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    private readonly pipelined: PipelinedConnections,
    private readonly reads: LaggingReads,
  ) {}

  /** The last hook of a shutdown: processors and listeners have drained before their connections go. */
  async onApplicationShutdown(): Promise<void> {
    await this.reads.close();
    await this.pipelined.close();
    await this.dataSource.destroy();
  }
}
