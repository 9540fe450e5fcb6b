/** `+` and digits: what libphonenumber made of what somebody typed. */
export type E164 = string;

/**
 * Blocks of numbers (a number without its last digits) that get no SMS for a while, because few who are sent codes
 * there ever use one, or because a provider says that somebody pumps messages there.
 */
export abstract class SmsPrefixes {
  /**
   * Blocks the prefix of this number; repeated once half of the block is over, it extends it. An event is recorded for operators.
   * @param reason short, machine-readable and free of personal data
   */
  abstract flag(prefixOf: E164, reason: string): Promise<void>;
}
