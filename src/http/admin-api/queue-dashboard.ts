import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const PATH = '/admin/queues';
const SIGN_IN = '/login?destination=queues';

/** bull-board colours and places things by inline styles; scripts are files of ours, and nothing is foreign. */
const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'self'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The board's page asks a font service for its typeface, which would learn who looks at the queues and when. */
const FOREIGN_LINK = /<link [^>]*href="https?:\/\/[^>]*>/g;
/** Names the server's version and addresses (security S173); the page does without. */
const UNTOLD = new Set([`${PATH}/api/redis/stats`]);

export interface QueueDashboard {
  readonly queues: readonly Queue[];
  /** Whether the queues can be asked now; while they cannot, asking would keep the browser waiting. */
  readonly available: () => boolean;
  /** Decides by the sign-in session of the browser: only an instance administrator is `allowed`. */
  readonly allow: (request: FastifyRequest) => Promise<'allowed' | 'sign-in' | 'forbidden'>;
  /** Answers 403 with a page. */
  readonly sendForbidden: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/**
 * bull-board under `/admin/queues`, read-only. Every request of the scope passes one hook before anything of the
 * board runs: page, API, static files and what does not exist. The hook sits on the scope and not on paths, so an
 * odd spelling either reaches the scope and the hook, or no route at all.
 *
 * Call before the application listens.
 */
export async function mountQueueDashboard(
  app: NestFastifyApplication,
  dashboard: QueueDashboard,
): Promise<void> {
  const board = new FastifyAdapter();
  board.setBasePath(PATH);
  createBullBoard({
    queues: dashboard.queues.map((queue) => {
      return new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false });
    }),
    serverAdapter: board,
    options: {
      uiConfig: {
        boardTitle: 'Queues',
        hideDocsLink: true,
        hideRedisDetails: true,
        showWorkers: false,
        pollingInterval: { showSetting: true },
      },
    },
  });
  // its own answer would carry the error's message
  board.setErrorHandler(() => ({ status: 500, body: { error: 'the queues cannot be read now' } }));
  await app.register(
    async (scope: FastifyInstance) => {
      scope.addHook('onRequest', async (request, reply) => await guard(dashboard, request, reply));
      scope.addHook('onSend', async (_request, reply, payload) => {
        const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
        return isPage && typeof payload === 'string' ? payload.replaceAll(FOREIGN_LINK, '') : payload;
      });
      scope.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not found' }));
      await scope.register(board.registerPlugin());
    },
    { prefix: PATH },
  );
}

/** Returns the reply once it is answered, which ends the request; undefined lets it pass. */
async function guard(
  dashboard: QueueDashboard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  void reply.header('cache-control', 'no-store');
  const decision = await dashboard.allow(request);
  if (decision === 'sign-in') {
    if (isPage(request)) return await reply.code(303).header('location', SIGN_IN).send();
    return await reply.code(401).send({ error: 'sign in first' });
  }
  if (decision !== 'allowed') {
    await dashboard.sendForbidden(request, reply);
    return reply;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return await reply.code(403).send({ error: 'this dashboard only shows' });
  }
  const route = request.routeOptions.url ?? '';
  if (UNTOLD.has(route)) return await reply.code(404).send({ error: 'not found' });
  if (route.startsWith(`${PATH}/api/`) && !dashboard.available()) {
    return await reply.code(503).send({ error: 'the queues cannot be read now' });
  }
  void reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
  return undefined;
}

/** Where a browser shows what it gets, as opposed to what its page asks for. */
function isPage(request: FastifyRequest): boolean {
  const route = request.routeOptions.url ?? '';
  return !route.startsWith(`${PATH}/api/`) && !route.startsWith(`${PATH}/static/`);
}
