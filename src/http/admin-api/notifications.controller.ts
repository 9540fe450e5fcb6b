import { ApiController } from '../shared/api-controller.js';
import { notificationsOf } from '../shared/scoped/scoped-notifications.controller.js';

/** The ledger of all messages of the instance, whichever organization the call acts in. */
@ApiController('admin/v1/notifications')
export class InstanceNotificationsController extends notificationsOf('instance') {}
