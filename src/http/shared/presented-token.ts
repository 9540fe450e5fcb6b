import type { FastifyRequest } from 'fastify';
import type { PresentedToken } from '../../domain/dpop/check-presented-token.js';

/** RFC 6750 §2.1 and RFC 9449 §7.1: the scheme in any case, one space, the token. */
const PRESENTED = /^(Bearer|DPoP) ([^ ]+)$/i;

/** What the Authorization header presents; undefined for another scheme, and for what is no token. */
export function presentedToken(
  request: FastifyRequest,
  issuer: string,
  form: RegExp = PRESENTED,
): PresentedToken | undefined {
  const [, scheme, token] = form.exec(request.headers.authorization ?? '') ?? [];
  if (scheme === undefined || token === undefined) return undefined;
  if (scheme.toLowerCase() === 'bearer') return { scheme: 'Bearer', token };
  return {
    scheme: 'DPoP',
    token,
    proof: proofOf(request),
    method: request.method,
    url: urlOf(request, issuer),
  };
}

/** The token of a request that was let in by it (`ApiTokens`), for whoever asks again later whether it is alive. */
export function tokenOf({ headers }: FastifyRequest): string {
  return PRESENTED.exec(headers.authorization ?? '')?.[2] ?? '';
}

/** The header DPoP; of several nothing could be made (RFC 9449 §4.3), and Node joins them to what is no JWT. */
export function proofOf({ headers }: FastifyRequest): string | undefined {
  const { dpop } = headers;
  return Array.isArray(dpop) ? dpop.join(', ') : dpop;
}

/** As clients know it: no header, by which somebody else could say what it is, has a part in it. */
export function urlOf({ url }: FastifyRequest, issuer: string): string {
  const path = url.split('?', 1)[0] ?? '';
  // a request may name its target with scheme and host (RFC 9112 §3.2.2)
  return issuer + (path.startsWith('/') ? path : URL.canParse(path) ? new URL(path).pathname : '/');
}
