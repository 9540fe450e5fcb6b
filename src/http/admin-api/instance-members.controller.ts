import { ApiController } from '../shared/api-controller.js';
import { membersOf } from '../shared/scoped/scoped-members.controller.js';

/** Who holds which roles in the instance. They count in every organization. */
@ApiController('admin/v1/members')
export class InstanceMembersController extends membersOf('instance') {}
