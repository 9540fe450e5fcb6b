import {
  ChannelError,
  type Accepted,
  type MailMessage,
  type SmsMessage,
} from '../domain/notifications/channels.js';
import type { HttpProvider } from '../domain/notifications/providers/provider.js';
import { ClearTextRefused, guardedLookup, requireCallable } from './guarded-lookup.js';
import { postOnce, shortened, type HttpAnswer } from './http-exchange.js';
import { webhookSignature } from './webhooks/webhook-signature.js';

const MISCONFIGURED_RETRY_AFTER_MS = 5 * 60_000;

export interface WebhookChannelOptions {
  readonly secretOf: (provider: HttpProvider) => Promise<string | undefined>;
  readonly allowPrivate: boolean;
  readonly nowSeconds: () => number;
  readonly timeoutMs: number;
}

/**
 * Messages by a webhook of the operator's own: JSON, signed under the provider's signing key (webhook-signature.ts). Any 2xx
 * is success, unless its JSON says that it is not (security F27); a redirect is never followed.
 */
export class WebhookChannel {
  constructor(private readonly options: WebhookChannelOptions) {}

  /** @throws ChannelError */
  async sendMail(provider: HttpProvider, message: MailMessage): Promise<Accepted> {
    return await this.send(provider, message.messageId, { channel: 'email', ...message });
  }

  /** @throws ChannelError */
  async sendSms(provider: HttpProvider, message: SmsMessage): Promise<Accepted> {
    const { notificationId, ...rest } = message;
    return await this.send(provider, notificationId, { channel: 'sms', messageId: notificationId, ...rest });
  }

  private async send(provider: HttpProvider, messageId: string, content: object): Promise<Accepted> {
    const { allowPrivate, nowSeconds, timeoutMs } = this.options;
    const key = await this.options.secretOf(provider);
    if (key === undefined) throw providerFailure('http_no_secret');
    const url = new URL(provider.settings.url);
    try {
      requireCallable(url, allowPrivate);
    } catch (error) {
      throw providerFailure(error instanceof ClearTextRefused ? 'not_https' : 'address_refused');
    }
    const body = JSON.stringify(content);
    const answer = await postOnce(url, {
      headers: {
        'content-type': 'application/json',
        'x-signature': webhookSignature(key, nowSeconds(), body),
        // the same for every attempt, so that the other side can drop a second one
        'idempotency-key': messageId,
      },
      body,
      lookup: guardedLookup(allowPrivate),
      timeoutMs,
    });
    return acceptedBy(answer);
  }
}

/** @throws ChannelError */
function acceptedBy(answer: HttpAnswer): Accepted {
  const { status, retryAfterMs } = answer;
  const body = objectIn(answer.body);
  const reason = `http_${status}`;
  const said = wordsOf(body);
  if (status >= 200 && status < 300) {
    if (!tellsOfError(body)) return idIn(body);
    const final = body['retryable'] === false;
    throw new ChannelError(
      'http_error_body',
      final ? 'terminal' : 'retryable',
      retryAfterMs,
      'message',
      said,
    );
  }
  // too fast for this message is too fast for the next
  if (status === 429) throw new ChannelError(reason, 'retryable', retryAfterMs ?? 30_000, 'provider', said);
  if (status === 408 || status === 425 || status >= 500) {
    throw new ChannelError(reason, 'retryable', retryAfterMs, 'message', said);
  }
  // not the message: the address moved, or our key is not accepted
  if (status < 400 || [401, 403, 404, 405, 410].includes(status)) throw providerFailure(reason, said);
  throw new ChannelError(reason, 'terminal', undefined, 'message', said);
}

type Body = Readonly<Record<string, unknown>>;

function objectIn(body: string): Body {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Body) : {};
  } catch {
    return {};
  }
}

function tellsOfError({ error, errors, success, ok }: Body): boolean {
  const listed = Array.isArray(errors) ? errors.length > 0 : Boolean(errors);
  return Boolean(error) || listed || success === false || ok === false;
}

function wordsOf({ error, message }: Body): string | undefined {
  const words = [error, message].find((candidate) => typeof candidate === 'string');
  return words === undefined ? undefined : shortened(words);
}

function idIn({ id, messageId }: Body): Accepted {
  const name = [messageId, id].find((candidate) => typeof candidate === 'string' && candidate !== '');
  return name === undefined ? {} : { providerMessageId: shortened(name as string) };
}

function providerFailure(reason: string, said?: string): ChannelError {
  return new ChannelError(reason, 'retryable', MISCONFIGURED_RETRY_AFTER_MS, 'provider', said);
}
