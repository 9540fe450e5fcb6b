/** What every state row knows about itself; `details` of the API answers is made from it (protocol §4). */
export interface ResourceDetails {
  /** Raised by each change of this object. */
  readonly sequence: string;
  /** Of a change: the number that readers were given before it, where that is not one less. */
  readonly before?: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
  /** Organization that owns the object. */
  readonly resourceOwner: string;
}
