import { ApiController } from '../shared/api-controller.js';
import { webhooksOf } from '../shared/scoped/scoped-webhooks.controller.js';

/** Where all events go, those of every organization among them. */
@ApiController('admin/v1/webhooks')
export class InstanceWebhooksController extends webhooksOf('instance') {}
