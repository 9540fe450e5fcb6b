import { ApiController } from '../shared/api-controller.js';
import { membersOf } from '../shared/scoped/scoped-members.controller.js';

/** Who holds which roles in the organization that the call acts in. */
@ApiController('management/v1/orgs/me/members')
export class OrganizationMembersController extends membersOf('organization') {}
