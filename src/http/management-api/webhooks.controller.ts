import { ApiController } from '../shared/api-controller.js';
import { webhooksOf } from '../shared/scoped/scoped-webhooks.controller.js';

/** Where events of the organization go that the call acts in. */
@ApiController('management/v1/webhooks')
export class WebhooksController extends webhooksOf('organization') {}
