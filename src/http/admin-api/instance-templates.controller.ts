import { ApiController } from '../shared/api-controller.js';
import { templatesOf } from '../shared/scoped/scoped-templates.controller.js';

/** Words of the instance, in place of the built-in ones, for every organization that has none of its own. */
@ApiController('admin/v1/templates')
export class InstanceTemplatesController extends templatesOf('instance') {}
