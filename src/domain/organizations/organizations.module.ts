import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { EndOrganizationSessions } from './end-organization-sessions.js';
import { EraseOrganization } from './erase-organization.js';
import { FindOwnPermissions } from './find-own-permissions.js';
import { ManageDomains } from './manage-domains.js';
import { ManageOrganizations } from './manage-organizations.js';
import { ReadOrganizations } from './read-organizations.js';

const useCases = [
  FindOwnPermissions,
  ManageOrganizations,
  ReadOrganizations,
  ManageDomains,
  EndOrganizationSessions,
  EraseOrganization,
];

/** Organizations and their domains, from the first to the erasure of what one leaves behind. */
@Module({ imports: [PermissionsModule], providers: useCases, exports: useCases })
export class OrganizationsModule {}
