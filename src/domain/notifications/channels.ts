import type { Failure } from '../outbox/delivery.js';
import type { NotificationId } from '../shared/ids.js';

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
  /** A whole HTML document; a test message has none. */
  readonly html?: string;
}

export interface SmsMessage {
  readonly notificationId: NotificationId;
  /** E.164. */
  readonly to: string;
  readonly text: string;
  /** Undefined where the provider makes the code. */
  readonly code: string | undefined;
  /** BCP 47, for a provider that writes the text itself. */
  readonly language: string;
  /** Absolute; where the provider reports what became of the message. */
  readonly statusCallbackUrl: string | undefined;
}

/** What a provider said when it took a message. */
export interface Accepted {
  /** Its name for the message, by which status call-backs speak of it. */
  readonly providerMessageId?: string | undefined;
}

export type ChannelFailure = Failure['failure'];

/**
 * What the failure is about: this message; the provider as a whole (bad credentials, quota, suspended: pause it and
 * raise the alarm); or every number that begins as this one does (a fraud block).
 */
export type FailureScope = 'message' | 'provider' | 'prefix';

/** Whom an attempt failed with, for operators. No credential, path or address of a recipient is in it. */
export interface FailedWith {
  readonly host: string;
  readonly port: number;
  /** What the connection met, as the system calls it: `ECONNREFUSED`. Undefined where the other side answered. */
  readonly cause?: string;
}

export class ChannelError extends Error implements Failure {
  /** No property, so that nothing which prints errors prints it. */
  readonly #said: string | undefined;
  #with: FailedWith | undefined;

  /**
   * @param reason short, machine-readable and free of personal data: it is stored and shown to operators
   * @param retryAfterMs at the earliest; undefined leaves it to the queue's back-off
   * @param said the provider's own words, which may name people: for whoever sends a test, never stored or logged
   * @param system what the system called it, such as ECONNREFUSED
   */
  constructor(
    readonly reason: string,
    readonly failure: ChannelFailure,
    readonly retryAfterMs?: number,
    readonly scope: FailureScope = 'message',
    said?: string,
    private readonly system?: string,
  ) {
    super(reason);
    this.name = 'ChannelError';
    this.#said = said;
  }

  /** Whoever knows where the message was going says so. */
  locate({ host, port }: { readonly host: string; readonly port: number }): this {
    this.#with = { host, port, ...(this.system !== undefined && { cause: this.system }) };
    return this;
  }

  /** Undefined where nobody was asked. */
  get with(): FailedWith | undefined {
    return this.#with;
  }

  get said(): string | undefined {
    return this.#said;
  }
}
