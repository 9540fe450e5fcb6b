/** Why a message is not queued. */
export type SmsRule =
  | 'country'
  | 'number_type'
  | 'blocked'
  | 'cooldown'
  | 'user'
  | 'number'
  | 'prefix'
  | 'address'
  | 'organization'
  | 'spend';

/** Who made it due: users for themselves, a manager for one of them, or an import. */
export type SmsOrigin = 'self' | 'manager' | 'import';

/** Counts for operators; nothing about whom it concerns. */
export abstract class SmsMeter {
  abstract enqueued(origin: SmsOrigin, count: number): void;

  abstract refused(rule: SmsRule, origin: SmsOrigin): void;

  /** A prefix was blocked. */
  abstract blocked(): void;
}
