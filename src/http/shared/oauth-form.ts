import type { FastifyRequest } from 'fastify';
import { OAuthError } from '../../domain/shared/errors.js';
import { OAuthParameters } from '../../domain/shared/oauth-parameters.js';

/** A form body as it came, not yet parsed: repeated fields must stay visible. */
export class FormBody {
  constructor(readonly text: string) {}
}

/** Some libraries name the charset; only one is possible (RFC 6749 appendix B). */
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-8"?\s*(?:;|$))/i;

/** Parameters of a body in `application/x-www-form-urlencoded`. @throws OAuthError for anything else */
export function readForm(request: FastifyRequest): OAuthParameters {
  const { body } = request;
  if (!(body instanceof FormBody) || OTHER_CHARSET.test(request.headers['content-type'] ?? '')) {
    throw new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded in UTF-8');
  }
  return OAuthParameters.read(new URLSearchParams(body.text));
}

/**
 * The same for token-level endpoints, whose parameters never come in the query (RFC 6749 §3.2, RFC 9700 §4.3.2):
 * a query would end up in logs.
 */
export function readFormOnly(request: FastifyRequest): OAuthParameters {
  if (request.url.includes('?')) {
    throw new OAuthError('invalid_request', 'parameters belong in the body, not in the query');
  }
  return readForm(request);
}

export function readQuery(request: FastifyRequest): OAuthParameters {
  const at = request.url.indexOf('?');
  return OAuthParameters.read(new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1)));
}
