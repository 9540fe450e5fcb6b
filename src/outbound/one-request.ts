import {
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as requestHttps } from 'node:https';

export interface OneRequest extends Pick<RequestOptions, 'method' | 'lookup'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** For name, connection, handshake, request and answer together. */
  readonly timeoutMs: number;
  /** When whoever asks gives up, if that is before. */
  readonly deadline?: AbortSignal | undefined;
}

/** The connection was closed without an answer that is one, and without an error: so Node does where a server answers 101. */
class NoAnswer extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('the connection was closed without an answer');
    this.name = 'NoAnswer';
  }
}

/**
 * One request on a connection of its own, so that nothing is written to one that its server just closed. Certificates are
 * verified, redirects are not followed, no proxy of the environment is used. It ends in time, whatever the other side does.
 *
 * @param read of the answer; what it leaves of the body has the rest of the time
 * @param watch sees the request before anything is written
 */
export async function oneRequest<T>(
  url: URL,
  { body, timeoutMs, deadline, ...options }: OneRequest,
  read: (response: IncomingMessage) => T | Promise<T>,
  watch: (request: ClientRequest) => void = () => undefined,
): Promise<T> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const limit = timeLimit(timeoutMs, deadline);
  return await new Promise<T>((resolve, reject) => {
    const request = send(url, { ...options, agent: false, signal: limit.signal }, (response) => {
      resolve(read(response));
    });
    watch(request);
    request.on('error', reject);
    request.on('close', () => {
      limit.clear();
      reject(new NoAnswer());
    });
    request.end(body);
  });
}

/** Held by a timer, and not by AbortSignal.any, whose sources Node 20 lets go of: with them the limit went. */
function timeLimit(
  timeoutMs: number,
  deadline: AbortSignal | undefined,
): { readonly signal: AbortSignal; readonly clear: () => void } {
  const controller = new AbortController();
  const giveUp = (): void => controller.abort();
  const timer = setTimeout(giveUp, timeoutMs);
  deadline?.addEventListener('abort', giveUp);
  if (deadline?.aborted === true) giveUp();
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      deadline?.removeEventListener('abort', giveUp);
    },
  };
}
