import { ApiController } from '../shared/api-controller.js';
import { eventsOf } from '../shared/scoped/scoped-events.controller.js';

/** The audit log of the instance and of all organizations. */
@ApiController('admin/v1/events')
export class InstanceEventsController extends eventsOf('instance') {}
