import type { FastifyRequest } from 'fastify';

/**
 * Whether the peer is a proxy of TRUSTED_PROXIES that says whom it asks for. Fastify lists the hops that it believes, the peer
 * first; a peer that is not trusted is the only one.
 */
export function isForwardedByTrusted({ ips }: FastifyRequest): boolean {
  return (ips?.length ?? 0) > 1;
}
