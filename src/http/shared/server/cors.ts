import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApplicationsStore } from '../../../domain/applications/applications.store.js';

/** Paths that scripts of registered applications may call. Discovery and keys are open to all and say so themselves. */
const CALLABLE =
  /^\/(?:oauth\/v2\/(?:token|par|revoke)|oidc\/v1\/userinfo|management\/v1|admin\/v1|auth\/v1)(?:[/?]|$)/;
/** Whoever is not registered yet has no registered origin, and brings a token in a header or nothing. */
const REGISTRATION = /^\/oauth\/v2\/register(?:[/?]|$)/;
const OPEN = /^\/(?:\.well-known\/openid-configuration|oauth\/v2\/keys)(?:\?|$)/;

const ALLOWED = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, Accept-Language, Idempotency-Key, If-Match, x-zitadel-orgid, x-org-id, ' +
    // what the libraries of browsers add by themselves
    'X-Requested-With, x-user-agent, x-grpc-web, connect-protocol-version',
  'access-control-max-age': '600',
};

const ALLOWED_WITH_DPOP = {
  ...ALLOWED,
  'access-control-allow-headers': `${ALLOWED['access-control-allow-headers']}, DPoP`,
};

/**
 * Cross-origin calls (Fetch standard, CORS protocol): an origin is allowed when it is registered with an application,
 * compared as an exact string; never with credentials, because no endpoint that scripts call uses a cookie.
 */
export function enableCors(
  fastify: FastifyInstance,
  applications: ApplicationsStore,
  isRegistrationOpen: boolean,
): void {
  const registered = rememberBriefly((origin) => applications.isOriginRegistered(origin));
  fastify.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined) return;
    const register = isRegistrationOpen && REGISTRATION.test(request.url);
    const open = register || OPEN.test(request.url);
    if (!open && !CALLABLE.test(request.url)) return;
    void reply.header('vary', 'Origin');
    const allowed = open || (isWebOrigin(origin) && (await registered(origin)));
    if (allowed && !open) {
      const exposed = 'Content-Length, ETag, Location, Retry-After, WWW-Authenticate';
      void reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          request.headers.dpop === undefined ? exposed : `${exposed}, DPoP-Nonce`,
      });
    }
    if (register) void reply.header('access-control-allow-origin', '*');
    if (request.method !== 'OPTIONS') return;
    if (open) void reply.header('access-control-allow-origin', '*');
    if (allowed) void reply.headers(asksForDpop(request) ? ALLOWED_WITH_DPOP : ALLOWED);
    await reply.code(204).send();
  });
}

/** Whether a script wants to send a proof (RFC 9449 §4.1). */
function asksForDpop({ headers }: FastifyRequest): boolean {
  return /\bdpop\b/i.test(headers['access-control-request-headers'] ?? '');
}

/** Browsers spell an origin one way; `null` and whatever else stands there belongs to no application. */
function isWebOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const REMEMBERED_MS = 5_000;
const MOST_REMEMBERED = 1_000;

/**
 * Whether an origin is registered is asked of every application, by callers nobody has authenticated yet. A few
 * seconds of memory keep that from being a way to make us work; what a token may do is never decided here.
 */
function rememberBriefly(ask: (origin: string) => Promise<boolean>): (origin: string) => Promise<boolean> {
  const known = new Map<string, { readonly until: number; readonly answer: Promise<boolean> }>();
  return (origin) => {
    const now = performance.now();
    const remembered = known.get(origin);
    if (remembered !== undefined && remembered.until > now) return remembered.answer;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const answer = ask(origin);
    known.set(origin, { until: now + REMEMBERED_MS, answer });
    answer.catch(() => known.delete(origin));
    return answer;
  };
}
