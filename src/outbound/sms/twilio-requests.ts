import type { RequestClient } from 'twilio';
import { ChannelError } from '../../domain/notifications/channels.js';
import { postOnce } from '../http-exchange.js';
import { twilioFailure } from './twilio-failure.js';

/** What the library asks of its HTTP client, as far as our calls need it. */
interface TwilioRequest {
  readonly method: string;
  readonly uri: string;
  readonly username?: string;
  readonly password?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The transport under the `twilio` library. Its own one reports neither `Retry-After` nor whether a failed request
 * had been written, which decides whether an SMS may be sent again (security F26).
 */
export class TwilioRequests {
  constructor(
    private readonly baseUrl: string | undefined,
    private readonly timeoutMs: number,
  ) {}

  /** @throws ChannelError for whatever is not a success */
  async request(request: TwilioRequest): Promise<{ statusCode: number; body: string }> {
    if (request.method.toLowerCase() !== 'post') throw new ChannelError('twilio_method', 'terminal');
    const { username = '', password = '' } = request;
    const answer = await postOnce(this.urlOf(request.uri), {
      headers: {
        ...request.headers,
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      },
      body: formOf(request.data ?? {}),
      timeoutMs: this.timeoutMs,
    });
    if (answer.status < 200 || answer.status >= 300) throw twilioFailure(answer);
    return { statusCode: answer.status, body: answer.body };
  }

  asClient(): RequestClient {
    return this as unknown as RequestClient;
  }

  private urlOf(uri: string): URL {
    const url = new URL(uri);
    return this.baseUrl === undefined ? url : new URL(`${url.pathname}${url.search}`, this.baseUrl);
  }
}

function formOf(data: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(data)) {
    // none of our calls has another kind of parameter; those that were not given stay undefined
    if (typeof value === 'string') form.append(name, value);
  }
  return form.toString();
}
