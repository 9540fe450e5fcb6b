import type { IncomingMessage } from 'node:http';
import { ChannelError, type ChannelFailure } from '../domain/notifications/channels.js';
import { tracedCall } from '../tracing/trace.js';
import { oneRequest, type OneRequest } from './one-request.js';
import { faultOf, retryAfterMs } from './request-fault.js';

/** Of an answer's body; past this the connection is cut and the rest never seen. */
const MOST_BODY_BYTES = 64 * 1024;
/** A provider that wants us to wait longer is asked again after this. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly body: string;
}

interface HttpCall extends Pick<OneRequest, 'lookup' | 'headers' | 'timeoutMs'> {
  readonly body: string;
}

/**
 * One POST (one-request.ts).
 *
 * @throws ChannelError, ambiguous once the whole request was written: the other side may have acted on it
 */
export async function postOnce(url: URL, call: HttpCall): Promise<HttpAnswer> {
  return await tracedCall('POST', url.hostname, () => post(url, call));
}

async function post(url: URL, call: HttpCall): Promise<HttpAnswer> {
  const headers = { ...call.headers, 'content-length': String(Buffer.byteLength(call.body)) };
  // what is written before the connection stands waits in this process
  const progress = { connected: false, written: false };
  try {
    return await oneRequest(url, { ...call, method: 'POST', headers }, answerIn, (request) => {
      request.on('socket', (socket) => {
        const stands = url.protocol === 'https:' ? 'secureConnect' : 'connect';
        socket.once(stands, () => (progress.connected = true));
      });
      request.on('finish', () => (progress.written = true));
    });
  } catch (error) {
    throw failureOf(error, progress.connected && progress.written);
  }
}

async function answerIn(response: IncomingMessage): Promise<HttpAnswer> {
  const body = await readBody(response);
  return {
    status: response.statusCode ?? 0,
    retryAfterMs: retryAfterMs(response, LONGEST_RETRY_AFTER_MS),
    body,
  };
}

/** A truncated body does not change what the status line says about the outcome. */
async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > MOST_BODY_BYTES) break;
      chunks.push(chunk as Buffer);
    }
  } catch {
    return '';
  }
  return bytes > MOST_BODY_BYTES ? '' : Buffer.concat(chunks).toString('utf8');
}

/** @param written whether the whole request was */
function failureOf(error: unknown, written: boolean): ChannelError {
  const { kind, code } = faultOf(error);
  if (kind === 'address') return new ChannelError('address_refused', 'retryable', undefined, 'provider');
  const failed = (reason: string, failure: ChannelFailure): ChannelError =>
    new ChannelError(reason, failure, undefined, 'message', undefined, code);
  if (!written) return failed(`http_${kind}`, 'retryable');
  return failed(kind === 'timeout' ? 'http_timeout' : 'http_ambiguous', 'ambiguous');
}

/** A provider's words, short enough to show. */
export function shortened(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300);
}
