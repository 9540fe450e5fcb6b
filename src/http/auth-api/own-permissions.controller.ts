import { Get } from '@nestjs/common';
import { FindOwnPermissions } from '../../domain/organizations/find-own-permissions.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { Operation } from '../shared/operation.js';
import { AsksFor } from '../shared/self.guard.js';
import { ownPermissionsAnswer } from './own-permissions.schemas.js';
import { SelfController } from './self-controller.js';

/** What the caller may do, and where. */
@SelfController('auth/v1/users/me/permissions')
export class OwnPermissionsController {
  constructor(private readonly findOwnPermissions: FindOwnPermissions) {}

  @Get()
  @AsksFor('read')
  @Operation({
    summary: 'List the own permissions',
    description:
      'What the caller’s roles allow by this token at this moment: in the instance and so in all organizations, and in ' +
      'each organization of which they hold a role, beside their own. Names of permissions are those of `x-permission`.',
    answer: ownPermissionsAnswer,
  })
  async list(@CallerParam() { acting, orgId }: Caller) {
    return await this.findOwnPermissions.execute(acting, orgId);
  }
}
