import { ApiController } from '../shared/api-controller.js';
import { identityProvidersOf } from '../shared/scoped/scoped-identity-providers.controller.js';

/** Whoever else people may sign in with, of the organization that the call acts in. */
@ApiController('management/v1/idps')
export class IdentityProvidersController extends identityProvidersOf('organization') {}
