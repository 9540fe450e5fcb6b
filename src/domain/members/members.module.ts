import { Module } from '@nestjs/common';
import { ConsentsModule } from '../consents/consents.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ManageMembers } from './manage-members.js';
import { RevokeOutrankedCredentials } from './revoke-outranked-credentials.js';

const useCases = [RevokeOutrankedCredentials, ManageMembers];

/** Members: who administers an organization or the instance. */
@Module({ imports: [ConsentsModule, PermissionsModule], providers: useCases, exports: useCases })
export class MembersModule {}
