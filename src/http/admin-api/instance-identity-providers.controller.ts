import { ApiController } from '../shared/api-controller.js';
import { identityProvidersOf } from '../shared/scoped/scoped-identity-providers.controller.js';

/** Whoever else people may sign in with, of the instance: an organization's login policy names those that it uses. */
@ApiController('admin/v1/idps')
export class InstanceIdentityProvidersController extends identityProvidersOf('instance') {}
