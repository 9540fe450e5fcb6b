import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppConfig } from '../../config/config.js';
import type { PresentedToken } from '../../domain/dpop/check-presented-token.js';
import type { ProofTarget } from '../../domain/dpop/dpop-proof.js';
import type { ClientCertificates } from './server/client-certificates.js';

type AskedFor = Pick<ProofTarget, 'method' | 'url' | 'alias'>;

/** RFC 6750 §2.1 and RFC 9449 §7.1: the scheme in any case, one space, the token. */
const PRESENTED = /^(Bearer|DPoP) ([^ ]+)$/i;

/** What the Authorization header presents; undefined for another scheme, and for what is no token. */
export function presentedToken(
  request: FastifyRequest,
  reply: FastifyReply,
  certificates: ClientCertificates,
  app: AppConfig,
  form: RegExp = PRESENTED,
): PresentedToken | undefined {
  const [, scheme, token] = form.exec(request.headers.authorization ?? '') ?? [];
  if (scheme === undefined || token === undefined) return undefined;
  if (scheme.toLowerCase() === 'bearer') return bearer(request, certificates, token);
  return {
    scheme: 'DPoP',
    token,
    proof: proofOf(request),
    giveNonce: nonceOn(reply),
    ...askedFor(request, app),
  };
}

/** The certificate is read only where the token needs one. */
export function bearer(
  request: FastifyRequest,
  certificates: ClientCertificates,
  token: string,
): PresentedToken {
  return { scheme: 'Bearer', token, certificate: () => certificates.of(request) };
}

/** The token that authenticated a request (`ApiTokens`), to check later whether it is still active. */
export function tokenOf({ headers }: FastifyRequest): string {
  return PRESENTED.exec(headers.authorization ?? '')?.[2] ?? '';
}

/** Sets the header DPoP-Nonce (RFC 9449 §8). */
export function nonceOn(reply: FastifyReply): (nonce: string) => void {
  return (nonce) => void reply.header('dpop-nonce', nonce);
}

/** The header DPoP; of several nothing could be made (RFC 9449 §4.3), and Node joins them to what is no JWT. */
export function proofOf({ headers }: FastifyRequest): string | undefined {
  const { dpop } = headers;
  return Array.isArray(dpop) ? dpop.join(', ') : dpop;
}

/**
 * What a proof has to be for, as clients know it: no header, by which somebody else could say what it is, has a part in it.
 * Clients with certificates may know the service by another host, which stands for the same.
 */
export function askedFor({ method, url }: FastifyRequest, { issuer, mutualTls }: AppConfig): AskedFor {
  const [target = ''] = url.split('?', 1);
  // a request may name its target with scheme and host (RFC 9112 §3.2.2)
  const path = target.startsWith('/') ? target : URL.canParse(target) ? new URL(target).pathname : '/';
  const alias = mutualTls?.baseUrl;
  return { method, url: issuer.url + path, ...(alias !== undefined && { alias: alias + path }) };
}
