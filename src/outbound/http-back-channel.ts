import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { BackChannel } from '../domain/logout/back-channel.js';
import { ChannelError } from '../domain/notifications/channels.js';
import { tracedCall } from '../tracing/trace.js';
import { guardedLookup, requireCallable } from './guarded-lookup.js';
import { oneRequest } from './one-request.js';
import { faultOf, retryAfterMs } from './request-fault.js';

/** For name, connection, handshake, request and status line together. */
const TIMEOUT_MS = 5_000;
/** An answer's body is thrown away, and past this the connection with it. */
const MOST_BODY_BYTES = 64 * 1024;
const LONGEST_RETRY_AFTER_MS = 30 * 60_000;

/**
 * Posts logout tokens. Certificates are verified against Node's roots and NODE_EXTRA_CA_CERTS, TLS is 1.2 or 1.3, no
 * proxy of the environment is used, and each call has a connection of its own, whose address was looked at.
 */
@Injectable()
export class HttpBackChannel extends BackChannel {
  private readonly allowPrivate: boolean;

  constructor(config: Config) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async deliver(uri: string, logoutToken: string): Promise<void> {
    const url = new URL(uri);
    const body = new URLSearchParams({ logout_token: logoutToken }).toString();
    const { status, retryAfter } = await tracedCall('POST', url.hostname, () => this.post(url, body));
    // some frameworks make 204 of an empty 200 (Back-Channel Logout §2.8)
    if (status >= 200 && status < 300) return;
    if (status === 400) throw new ChannelError('http_400', 'terminal');
    throw new ChannelError(`http_${status}`, 'retryable', retryAfter);
  }

  private async post(url: URL, body: string): Promise<{ status: number; retryAfter: number | undefined }> {
    try {
      // in clear for applications in development mode alone, which are asked for with each notice (DeliverLogout)
      requireCallable(url, this.allowPrivate, 'allowed');
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(body)),
      };
      const lookup = guardedLookup(this.allowPrivate);
      const request = { method: 'POST', headers, body, lookup, timeoutMs: TIMEOUT_MS };
      return await oneRequest(url, request, outcomeOf);
    } catch (error) {
      throw failureOf(error);
    }
  }
}

function outcomeOf(response: IncomingMessage): { status: number; retryAfter: number | undefined } {
  discard(response);
  return {
    status: response.statusCode ?? 0,
    retryAfter: retryAfterMs(response, LONGEST_RETRY_AFTER_MS),
  };
}

function discard(response: IncomingMessage): void {
  let bytes = 0;
  // the outcome is known by now
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) response.destroy();
  });
}

function failureOf(error: unknown): ChannelError {
  const { kind } = faultOf(error);
  // tried again as where the name is unknown: when it ends must not tell which of the two it is (security S514)
  return new ChannelError(kind === 'address' ? 'address_refused' : kind, 'retryable');
}
