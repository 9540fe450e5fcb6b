import type { FastifyInstance } from 'fastify';
import type { ApplicationsStore } from '../../domain/clients/applications.store.js';

/** Paths that scripts of registered applications may call. Discovery and keys are open to all and say so themselves. */
const CALLABLE =
  /^\/(?:oauth\/v2\/(?:token|revoke)|oidc\/v1\/userinfo|management\/v1|admin\/v1|auth\/v1)(?:[/?]|$)/;
const OPEN = /^\/(?:\.well-known\/openid-configuration|oauth\/v2\/keys)(?:\?|$)/;

const ALLOWED = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, Accept-Language, Idempotency-Key, x-zitadel-orgid, x-org-id',
  'access-control-max-age': '600',
};

/**
 * Cross-origin calls (Fetch standard, CORS protocol): an origin is let in when it is registered with an application,
 * compared as an exact string; never with credentials, because no endpoint that scripts call uses a cookie.
 */
export function enableCors(fastify: FastifyInstance, applications: ApplicationsStore): void {
  fastify.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined) return;
    const open = OPEN.test(request.url);
    if (!open && !CALLABLE.test(request.url)) return;
    void reply.header('vary', 'Origin');
    const allowed = open || (isWebOrigin(origin) && (await applications.isOriginRegistered(origin)));
    if (allowed && !open) {
      void reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'Location, Retry-After, WWW-Authenticate',
      });
    }
    if (request.method !== 'OPTIONS') return;
    if (open) void reply.header('access-control-allow-origin', '*');
    if (allowed) void reply.headers(ALLOWED);
    await reply.code(204).send();
  });
}

/** Browsers spell an origin one way; `null` and whatever else stands there belongs to no application. */
function isWebOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
