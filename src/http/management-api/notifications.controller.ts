import { ApiController } from '../shared/api-controller.js';
import { notificationsOf } from '../shared/scoped/scoped-notifications.controller.js';

/** The ledger of the messages to users of the organization. */
@ApiController('management/v1/notifications')
export class NotificationsController extends notificationsOf('organization') {}
