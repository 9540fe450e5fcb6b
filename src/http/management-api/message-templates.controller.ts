import { ApiController } from '../shared/api-controller.js';
import { templatesOf } from '../shared/scoped/scoped-templates.controller.js';

/** Words of the organization that the call acts in, in place of the instance's and the built-in ones. */
@ApiController('management/v1/templates')
export class MessageTemplatesController extends templatesOf('organization') {}
