import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Packing } from '../files/bytes-of.js';
import { OperationFailed } from '../shell/exit.js';

export type Query = Readonly<Record<string, string | undefined>>;

export interface Upload {
  readonly contentType: string;
  readonly packing: Packing | undefined;
  readonly chunks: AsyncIterable<Buffer>;
  /** In bytes, as they are sent; undefined for standard input. The dashboard shows how much of it has arrived. */
  readonly length: number | undefined;
}

/** The service said no; `status` is that of HTTP. */
export class ApiRefusal extends OperationFailed {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'ApiRefusal';
  }
}

/** Asks the service's API. Nothing is repeated on its own account but by whoever calls it. */
export class ApiClient {
  constructor(
    private readonly fetch: typeof globalThis.fetch,
    private readonly base: string,
    private readonly token: string,
    private readonly org: string | undefined,
  ) {}

  async get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return (await (await this.ask('GET', path, { query })).json()) as Answer;
  }

  async post<Answer>(path: string, body?: unknown): Promise<Answer> {
    return (await (await this.ask('POST', path, jsonOf(body))).json()) as Answer;
  }

  /** @param readAt sequence that it must still have: without one it is overwritten, whoever changed it meanwhile */
  async put<Answer>(path: string, body: unknown, readAt?: string): Promise<Answer> {
    const headers = readAt === undefined ? {} : { 'If-Match': `"${readAt}"` };
    return (await (await this.ask('PUT', path, { ...jsonOf(body), headers })).json()) as Answer;
  }

  async delete<Answer>(path: string): Promise<Answer> {
    return (await (await this.ask('DELETE', path)).json()) as Answer;
  }

  /** Sends a file as it is read. With the same key the service answers with the same job instead of a second one. */
  async upload<Answer>(
    path: string,
    query: Query,
    upload: Upload,
    idempotencyKey: string,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const answer = await this.ask('POST', path, {
      query,
      signal,
      body: Readable.toWeb(Readable.from(upload.chunks, { objectMode: false })) as ReadableStream<Uint8Array>,
      contentType: upload.contentType,
      headers: {
        'Idempotency-Key': idempotencyKey,
        ...(upload.packing && { 'Content-Encoding': upload.packing }),
        ...(upload.length !== undefined && { 'Content-Length': String(upload.length) }),
      },
    });
    return (await answer.json()) as Answer;
  }

  /** The bytes of an answer that may be of any size. */
  async download(
    path: string,
    query: Query,
    accept: string,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const answer = await this.ask('GET', path, { query, headers: { Accept: accept }, signal });
    if (answer.body === null) return Readable.from([]);
    return this.bytesOf(answer.body);
  }

  /** The same for a question that needs a body. */
  async stream(
    path: string,
    body: unknown,
    accept: string,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const answer = await this.ask('POST', path, {
      body: JSON.stringify(body),
      contentType: 'application/json',
      headers: { Accept: accept },
      signal,
    });
    return answer.body === null ? Readable.from([]) : this.bytesOf(answer.body);
  }

  private async *bytesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw this.unreachable(error);
    }
  }

  private async ask(
    method: string,
    path: string,
    request: {
      query?: Query;
      body?: string | ReadableStream<Uint8Array>;
      contentType?: string;
      headers?: Record<string, string>;
      signal?: AbortSignal | undefined;
    } = {},
  ): Promise<Response> {
    const { query = {}, body, contentType, headers = {}, signal } = request;
    const url = new URL(this.base + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    let answer: Response;
    try {
      answer = await this.fetch(url, {
        method,
        headers: {
          Authorization: `Bearer ${this.token}`,
          Accept: 'application/json',
          ...(this.org !== undefined && { 'x-org-id': this.org }),
          ...(contentType !== undefined && { 'Content-Type': contentType }),
          ...headers,
        },
        ...(body !== undefined && { body, duplex: 'half' as const }),
        ...(signal && { signal }),
        // the token is for this service and nobody it points to
        redirect: 'error',
      });
    } catch (error) {
      throw this.unreachable(error);
    }
    if (!answer.ok) throw await refusalOf(answer);
    return answer;
  }

  private unreachable(error: unknown): unknown {
    if (error instanceof OperationFailed) return error;
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    // what reading the file to be sent met
    if (cause instanceof OperationFailed) return cause;
    if (hasCode(cause, 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')) {
      return new OperationFailed('the file changed while it was sent: nothing of it was imported', {
        cause: error,
      });
    }
    const reason =
      cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : String(cause);
    return new OperationFailed(`cannot reach the service at ${this.base}: ${reason}`, { cause: error });
  }
}

function jsonOf(body: unknown) {
  return body === undefined ? {} : { body: JSON.stringify(body), contentType: 'application/json' };
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

const HINTS = new Map([
  [401, 'the token is wrong, expired or revoked'],
  [403, 'the token may not do that'],
  [404, 'there is no such thing in this organization'],
  [413, 'the file is larger than the service takes'],
  [507, 'the imports there are take as much space as they may'],
  [429, 'too many requests: try again later'],
]);

async function refusalOf(answer: Response): Promise<ApiRefusal> {
  const text = await answer.text().catch(() => '');
  let message: unknown;
  try {
    message = (JSON.parse(text) as { message?: unknown }).message;
  } catch {
    // a proxy's page says nothing to people
  }
  const said = typeof message === 'string' ? message : HINTS.get(answer.status);
  return new ApiRefusal(
    answer.status,
    `the service refused it (${answer.status}): ${said ?? answer.statusText}`,
  );
}
