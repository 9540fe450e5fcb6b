import type { FastifyInstance, FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import { ApiError } from '../../domain/shared/errors.js';

/**
 * A JSON body as it came. Parsing waits until the caller is known: a bad body without a token is 401, not 400
 * (contract §0.3).
 */
export class JsonBody {
  constructor(readonly text: string) {}
}

export function registerJsonParser(fastify: FastifyInstance): void {
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new JsonBody(body as string)),
  );
}

/**
 * The body's value; an empty body counts as `{}`.
 * @throws ApiError invalid-argument for malformed JSON, prototype keys, or another content type
 */
export function readJson(request: FastifyRequest): unknown {
  const { body } = request;
  if (body === undefined || body === null) return {};
  if (!(body instanceof JsonBody)) throw new ApiError('invalid-argument', 'the body must be application/json');
  if (body.text.trim() === '') return {};
  try {
    return secureJson.parse(body.text, { protoAction: 'error', constructorAction: 'error' }) as unknown;
  } catch {
    throw new ApiError('invalid-argument', 'the body is not valid JSON');
  }
}
