/** Something with what it is called now, where that is known. */
interface Called {
  readonly type: string;
  readonly id: string;
  readonly name?: string;
}

/** An event as the service returns it (`/management/v1/events`). */
export interface AuditedEvent {
  readonly id: string;
  readonly sequence: string;
  readonly creationDate: string;
  readonly type: string;
  readonly aggregate: Called;
  readonly target?: Called;
  readonly resourceOwner?: string;
  readonly editor?: { readonly userId: string };
  readonly fields?: readonly string[];
  readonly payload?: Readonly<Record<string, unknown>>;
}

export interface EventPage {
  readonly result?: readonly AuditedEvent[];
  readonly nextCursor?: string;
  readonly lastCursor?: string;
}

export const EVENTS = '/management/v1/events/_search';
export const INSTANCE_EVENTS = '/admin/v1/events/_search';
