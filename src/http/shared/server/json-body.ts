import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { ApiError } from '../../../domain/shared/errors.js';
import {
  countMembers,
  DuplicateMember,
  requireUniqueMembers,
} from '../../../domain/shared/unique-members.js';
import { isStreamed, StreamedBody } from './streamed-body.js';

/**
 * JSON bodies of the APIs. Fastify parses before any guard runs, while a bad body without a token has
 * to be a 401 (protocol §0.3). So the parser never fails: it leaves what it found, or what was wrong, for the handler to read.
 */
type BodyFault = 'malformed' | 'too-large' | 'too-many-values' | 'unsupported-type';

class JsonBody {
  constructor(
    readonly value: unknown,
    readonly fault?: BodyFault | DuplicateMember,
    /** Bytes that it may have. */
    readonly limit = DEFAULT_LIMIT,
  ) {}
}

/** A body that cannot be read; 413 and 415 have no gRPC counterpart and so no kind of `ApiError`. */
export class UnreadableBody extends Error {
  constructor(
    readonly status: 413 | 415,
    readonly code: 3 | 8,
    readonly text: string,
  ) {
    super(text);
    this.name = 'UnreadableBody';
  }
}

const DEFAULT_LIMIT = 4 * 1024 * 1024;
/** What anybody may send: two lists of twenty URIs of 2,048 characters, and ten keys with their certificates. */
const REGISTRATION_LIMIT = 128 * 1024;
/** As many as the members of a group in 4 MiB have, which is the longest list that a directory sends. */
const MOST_VALUES = 300_000;
const UTF8 = new TextDecoder('utf-8', { fatal: true });
const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?;? *$/i;
/** RFC 7644 §3.1: directories send either. */
const SCIM_TYPE = /^application\/(?:scim\+)?json *(?:; *charset="?utf-8"? *)?;? *$/i;

/** Registers the parser of JSON and, for whatever nobody else parses, one that reads nothing. */
export function registerJsonParser(fastify: FastifyInstance): void {
  const usual = fastify.initialConfig.bodyLimit ?? DEFAULT_LIMIT;
  const types = ['application/json', 'application/scim+json'];
  fastify.addContentTypeParser(types, async (request: FastifyRequest, payload: Payload) => {
    if (isStreamed(request)) return new StreamedBody(payload);
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
    const { url = '' } = request.routeOptions;
    const allowed = url.startsWith('/scim/') ? SCIM_TYPE : JSON_TYPE;
    const limit = url.startsWith('/oauth/v2/register') ? REGISTRATION_LIMIT : usual;
    if (!allowed.test(type) || encoding !== 'identity') return discard(payload, 'unsupported-type');
    if (Number(request.headers['content-length'] ?? 0) > limit) return discard(payload, 'too-large', limit);
    const bytes = await readUpTo(limit, payload);
    return bytes === undefined ? discard(payload, 'too-large', limit) : parseBytes(bytes);
  });
  fastify.addContentTypeParser('*', (request: FastifyRequest, payload: Payload, done: Done) => {
    if (isStreamed(request)) done(null, new StreamedBody(payload));
    else done(null, discard(payload, 'unsupported-type'));
  });
}

type Payload = FastifyRequest['raw'];
type Done = (error: Error | null, body?: unknown) => void;

/**
 * What is not wanted is still taken off the wire, without being kept: the caller, busy sending, would otherwise see
 * a connection reset and never the answer. The timeout of bodies ends uploads that take too long.
 */
function discard(payload: Payload, fault: BodyFault, limit?: number): JsonBody {
  payload.resume();
  return new JsonBody(undefined, fault, limit);
}

/** Undefined as soon as there is more than `limit`; never holds more than that. */
function readUpTo(limit: number, payload: Payload): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      payload.off('data', onData);
      resolve(undefined);
    };
    payload.on('data', onData);
    payload.once('end', () => resolve(Buffer.concat(chunks)));
    payload.once('error', reject);
    payload.once('close', () => {
      // after every end as well, and to make an error costs more than to read the body
      if (!payload.readableEnded) reject(new Error('the connection closed before the body ended'));
    });
  });
}

function parseBytes(bytes: Buffer): JsonBody {
  if (bytes.length === 0) return new JsonBody(undefined);
  try {
    const text = UTF8.decode(bytes);
    // members named __proto__, or constructor with a prototype, are an error rather than something to be careful with
    const value: unknown = parse(text, { protoAction: 'error', constructorAction: 'error' });
    const members = countMembers(value, MOST_VALUES);
    if (members === undefined) return new JsonBody(undefined, 'too-many-values');
    requireUniqueMembers(text, members);
    return new JsonBody(value);
  } catch (error) {
    return new JsonBody(undefined, error instanceof DuplicateMember ? error : 'malformed');
  }
}

/**
 * The body's value; undefined for a request without one.
 * @throws ApiError invalid-argument, UnreadableBody
 */
export function readJsonBody({ body }: { readonly body?: unknown }): unknown {
  if (body === undefined || body === null) return undefined;
  const fault = body instanceof JsonBody ? body.fault : 'unsupported-type';
  if (fault instanceof DuplicateMember) {
    throw new ApiError('invalid-argument', `field ${fault.message} in the body`);
  }
  switch (fault) {
    case 'unsupported-type':
      throw new UnreadableBody(415, 3, 'the body must be application/json in UTF-8');
    case 'too-large':
      throw new UnreadableBody(413, 8, `the body is too large, at most ${sizeOf((body as JsonBody).limit)}`);
    case 'too-many-values':
      throw new UnreadableBody(413, 8, `the body has too many values, at most ${MOST_VALUES}`);
    case 'malformed':
      throw new ApiError('invalid-argument', 'the body is not valid JSON');
    case undefined:
      return (body as JsonBody).value;
  }
}

/** Whether it came as JSON and could be read. */
export function isJsonBody(body: unknown): boolean {
  return body instanceof JsonBody && body.fault === undefined;
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / (1024 * 1024)} MiB`;
}
