/**
 * The outside doors. A channel hands one message over and either resolves (the provider has it) or throws a
 * `ChannelError` that says whether trying again can help.
 */
export interface MailMessage {
  /** Without angle brackets. Stable over every attempt of one notification, so that a receiver can drop a duplicate. */
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * - `retryable`: another attempt may succeed
 * - `terminal`: the provider refused this message or recipient for good
 * - `ambiguous`: the line dropped after the message was handed over; the provider may have it
 */
export type ChannelFailure = 'retryable' | 'terminal' | 'ambiguous';

export class ChannelError extends Error {
  /**
   * @param reason short, machine-readable and free of personal data: it is stored and shown to operators
   * @param retryAfterMs at the earliest; undefined leaves it to the queue's back-off
   */
  constructor(
    readonly reason: string,
    readonly failure: ChannelFailure,
    readonly retryAfterMs?: number,
  ) {
    super(reason);
    this.name = 'ChannelError';
  }
}

export abstract class MailChannel {
  /** False when no provider is set up: then messages wait instead of failing. */
  abstract readonly configured: boolean;

  /** @throws ChannelError; within 30 s in any case */
  abstract send(message: MailMessage): Promise<void>;
}
