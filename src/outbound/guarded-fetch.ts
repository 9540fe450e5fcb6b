import type { IncomingMessage } from 'node:http';
import { tracedCall } from '../tracing/trace.js';
import { guardedLookup, requireCallable } from './guarded-lookup.js';
import { oneRequest } from './one-request.js';

/** Somebody waits before a page: for name, connection, handshake, request and answer together. */
const TIMEOUT_MS = 5_000;
/** Discovery documents and key sets of large providers have some tens of kilobytes. */
const MOST_BODY_BYTES = 512 * 1024;

/** What is sent, in terms of `fetch`. */
export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A text or a form; nothing else is sent. */
  readonly body?: unknown;
  /** Of the answer; MOST_BODY_BYTES at most. */
  readonly mostBytes?: number | undefined;
  /** When whoever asks gives up, if that is before the call's own time is over. */
  readonly deadline?: AbortSignal | undefined;
}

/**
 * `fetch` for addresses on somebody else's word: only to where this service may call, on a connection of its own whose address
 * was looked at, without redirects, without a proxy of the environment, and no longer nor larger than the limits.
 *
 * @throws AddressRefused, ClearTextRefused, and whatever Node says of a connection that failed
 */
export async function guardedFetch(
  address: string,
  { method = 'GET', headers = {}, body, deadline, mostBytes = MOST_BODY_BYTES }: GuardedRequest,
  allowPrivate: boolean,
): Promise<Response> {
  const url = new URL(address);
  const bytes = bytesOf(body);
  requireCallable(url, allowPrivate);
  const request = {
    method,
    headers: {
      'user-agent': 'identity-service',
      ...headers,
      ...(bytes !== undefined && { 'content-length': String(bytes.length) }),
    },
    body: bytes,
    lookup: guardedLookup(allowPrivate),
    timeoutMs: TIMEOUT_MS,
    deadline,
  };
  return await tracedCall(method, url.hostname, () =>
    oneRequest(url, request, (response) => answerOf(response, mostBytes)),
  );
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(body.toString());
  throw new Error('only texts and forms are sent');
}

async function answerOf(response: IncomingMessage, mostBytes: number): Promise<Response> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > mostBytes) throw new Error('the answer is too large');
    chunks.push(chunk as Buffer);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const status = response.statusCode ?? 502;
  const hasBody = status >= 200 && ![204, 205, 304].includes(status);
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status: Math.max(status, 200), headers });
}
