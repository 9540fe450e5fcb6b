import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApplicationsStorageModule } from './postgres/applications-storage.module.js';
import { AuthorizationsStorageModule } from './postgres/authorizations-storage.module.js';
import { ClientRegistrationStorageModule } from './postgres/client-registration-storage.module.js';
import { IdentityProvidersStorageModule } from './postgres/identity-providers-storage.module.js';
import { ImportsStorageModule } from './postgres/imports-storage.module.js';
import { LaggingReads } from './postgres/lagging-reads.js';
import { NotificationsStorageModule } from './postgres/notifications-storage.module.js';
import { OperationsStorageModule } from './postgres/operations-storage.module.js';
import { OrganizationsStorageModule } from './postgres/organizations-storage.module.js';
import { PermissionsStorageModule } from './postgres/permissions-storage.module.js';
import { PoliciesStorageModule } from './postgres/policies-storage.module.js';
import { PostgresModule } from './postgres/postgres.module.js';
import { ProjectsStorageModule } from './postgres/projects-storage.module.js';
import { ScimStorageModule } from './postgres/scim-storage.module.js';
import { ServiceUsersStorageModule } from './postgres/service-users-storage.module.js';
import { SessionsStorageModule } from './postgres/sessions-storage.module.js';
import { SigningKeysStorageModule } from './postgres/signing-keys-storage.module.js';
import { PipelinedConnections } from './postgres/throughput/pipelined-connections.js';
import { UserMigrationStorageModule } from './postgres/user-migration-storage.module.js';
import { UsersStorageModule } from './postgres/users-storage.module.js';
import { WebhooksStorageModule } from './postgres/webhooks-storage.module.js';

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
