import { Module } from '@nestjs/common';
import { ScimModule } from '../../domain/scim/scim.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { BulkCalls } from './bulk-calls.js';
import { ScimBulkController } from './bulk.controller.js';
import { ScimDiscoveryController } from './discovery.controller.js';
import { GroupCalls } from './group-calls.js';
import { ScimGroupsController } from './groups.controller.js';
import { ScimSearchController } from './search.controller.js';
import { UserCalls } from './user-calls.js';
import { ScimUsersController } from './users.controller.js';

/** /scim/v2/{orgId}: directories provision the users of one organization (RFC 7644). */
@Module({
  imports: [HttpSharedModule, ScimModule],
  controllers: [
    ScimDiscoveryController,
    ScimUsersController,
    ScimGroupsController,
    ScimBulkController,
    ScimSearchController,
  ],
  providers: [UserCalls, GroupCalls, BulkCalls],
})
export class ScimApiModule {}
