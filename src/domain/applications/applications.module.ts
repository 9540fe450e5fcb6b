import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ChangeApplication } from './change-application.js';
import { ChangeManagementAccess } from './change-management-access.js';
import { ConsoleApplication } from './console-application.js';
import { CreateOidcApplication } from './create-oidc-application.js';
import { AddApplicationKey } from './keys/add-application-key.js';
import { ApplicationKeys } from './keys/application-keys.js';
import { ReadApplications } from './read-applications.js';
import { SectorIdentifiers } from './sector-identifier.js';

const useCases = [
  CreateOidcApplication,
  ChangeManagementAccess,
  ConsoleApplication,
  ChangeApplication,
  ReadApplications,
  SectorIdentifiers,
  AddApplicationKey,
  ApplicationKeys,
];

/** Applications, their keys, and what they may be given. */
@Module({ imports: [PermissionsModule], providers: useCases, exports: useCases })
export class ApplicationsModule {}
