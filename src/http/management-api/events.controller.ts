import { ApiController } from '../shared/api-controller.js';
import { eventsOf } from '../shared/scoped/scoped-events.controller.js';

/** The audit log of the organization. */
@ApiController('management/v1/events')
export class EventsController extends eventsOf('organization') {}
