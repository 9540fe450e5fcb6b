import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../../../domain/shared/log.js';
import { isForwardedByTrusted } from './forwarded.js';

/**
 * Says once that a proxy stands in front which TRUSTED_PROXIES does not name: everybody behind it then counts as one
 * address. Once for the life of the process, and without what the header says: anybody can send one.
 */
export function warnOfUnlistedProxy(fastify: FastifyInstance, log: Log): void {
  let warned = false;
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!warned && isForwardedByUnlisted(request)) {
      warned = true;
      log.warn(
        'X-Forwarded-For came from an address that TRUSTED_PROXIES does not name, so it does not count: ' +
          'name your proxy there, or limits per address take all callers behind it for one',
      );
    }
    done();
  });
}

function isForwardedByUnlisted(request: FastifyRequest): boolean {
  return request.headers['x-forwarded-for'] !== undefined && !isForwardedByTrusted(request);
}
