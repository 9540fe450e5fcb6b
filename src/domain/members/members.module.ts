import { Module } from '@nestjs/common';
import { ConsentsModule } from '../consents/consents.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { EndLowerMade } from './end-lower-made.js';
import { ManageMembers } from './manage-members.js';

const useCases = [EndLowerMade, ManageMembers];

/** Members: who administers an organization or the instance. */
@Module({ imports: [ConsentsModule, PermissionsModule], providers: useCases, exports: useCases })
export class MembersModule {}
