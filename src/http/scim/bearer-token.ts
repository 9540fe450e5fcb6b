import type { FastifyRequest } from 'fastify';
import { authHeaderInvalid, authHeaderMissing } from '../../domain/shared/errors.js';

/** RFC 6750 §2.1: the scheme in any case, one space, the token. */
const BEARER = /^Bearer ([^ ]+)$/i;

/**
 * The token of a request that knows bearer tokens alone, from the Authorization header and from nowhere else. @throws ApiError unauthenticated
 */
export function bearerToken(request: FastifyRequest): string {
  const { authorization } = request.headers;
  if (authorization === undefined) throw authHeaderMissing();
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw authHeaderInvalid();
  return token;
}
