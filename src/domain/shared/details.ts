/** What every state row knows about itself; `details` of the API answers is made from it (protocol §4). */
export interface ResourceDetails {
  /** Number of changes of this object so far. */
  readonly sequence: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
  /** Organization that owns the object. */
  readonly resourceOwner: string;
}
