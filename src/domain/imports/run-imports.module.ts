import { Module } from '@nestjs/common';
import { ApplicationsModule } from '../applications/applications.module.js';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { MembersModule } from '../members/members.module.js';
import { SmsLimitsModule } from '../notifications/abuse/sms-limits.module.js';
import { NotificationProvidersModule } from '../notifications/providers/notification-providers.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { PasswordHashingModule } from '../passwords/hashing/password-hashing.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { ProjectGrantsModule } from '../project-grants/project-grants.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { ServiceUsersModule } from '../service-users/service-users.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { CloseChunk } from './chunks/close-chunk.js';
import { FollowImport } from './chunks/follow-import.js';
import { ImportPace } from './chunks/import-pace.js';
import { RunImportChunk } from './chunks/run-import-chunk.js';
import { WriteChunk } from './chunks/write-chunk.js';
import { ImportsModule } from './imports.module.js';
import { AddApplicationItem } from './items/add-application-item.js';
import { AddItem } from './items/add-item.js';
import { AddOrganizationItem } from './items/add-organization-item.js';
import { AddPolicyItem } from './items/add-policy-item.js';
import { AddProjectItem } from './items/add-project-item.js';
import { AddUserItem } from './items/add-user-item.js';
import { WriteItems } from './items/write-items.js';
import { NotifyImport } from './post-import/notify-import.js';
import { RunPostImport } from './post-import/run-post-import.js';
import { UndoImport } from './post-import/undo-import.js';
import { EnqueueImportSms } from './write/enqueue-import-sms.js';
import { PrepareRecords } from './write/prepare-records.js';
import { WriteMetadata } from './write/write-metadata.js';
import { WriteRecords } from './write/write-records.js';
import { WriteUsers } from './write/write-users.js';

const useCases = [
  PrepareRecords,
  EnqueueImportSms,
  WriteRecords,
  WriteMetadata,
  AddOrganizationItem,
  AddPolicyItem,
  AddProjectItem,
  AddApplicationItem,
  AddUserItem,
  AddItem,
  WriteItems,
  WriteUsers,
  WriteChunk,
  CloseChunk,
  RunImportChunk,
  FollowImport,
  ImportPace,
  RunPostImport,
  UndoImport,
  NotifyImport,
];

/** The part of an import that a worker does. */
@Module({
  imports: [
    ApplicationsModule,
    IdentityProvidersModule,
    ImportsModule,
    MembersModule,
    NotificationProvidersModule,
    OrganizationsModule,
    PasswordHashingModule,
    PermissionsModule,
    PoliciesModule,
    ProjectGrantsModule,
    ProjectsModule,
    RoleAssignmentsModule,
    ServiceUsersModule,
    SmsLimitsModule,
    StatisticsModule,
  ],
  providers: useCases,
  exports: useCases,
})
export class RunImportsModule {}
