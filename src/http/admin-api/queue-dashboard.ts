import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AskedQueueAction, QueueAction } from '../../domain/maintenance/record-queue-action.js';
import { DASHBOARD_SIGN_IN, type DashboardVisitor } from '../shared/dashboard-access.js';
import { NamedQueue, type FindTitles } from './named-queue.js';

const PATH = '/admin/queues';

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

/** All that somebody may change, by the board's own routes. There is more on them: whatever is not here is refused. */
const ACTIONS: ReadonlyMap<string, QueueAction> = new Map([
  [`${PATH}/api/queues/:queueName/:jobId/retry`, 'queue.job.retried'],
  [`${PATH}/api/queues/:queueName/:jobId/promote`, 'queue.job.promoted'],
  [`${PATH}/api/queues/:queueName/retry/:queueStatus`, 'queue.failed.retried'],
  [`${PATH}/api/queues/:queueName/promote`, 'queue.delayed.promoted'],
  [`${PATH}/api/queues/:queueName/pause`, 'queue.paused'],
  [`${PATH}/api/queues/:queueName/resume`, 'queue.resumed'],
]);
/** As BullMQ and we make them. */
const JOB_ID = /^[\w:-]{1,250}$/;

/** The board asks so often, in seconds, for what it shows. */
const POLL_SECONDS = 1;

declare module 'fastify' {
  interface FastifyRequest {
    dashboardVisitor?: DashboardVisitor;
  }
}

interface QueueDashboard {
  readonly queues: readonly Queue[];
  /** Whether whoever may change something can do so here (`QUEUE_DASHBOARD_WRITES`). */
  readonly writable: boolean;
  /** The origin of this service. */
  readonly origin: string;
  readonly findTitles: FindTitles;
  /** Enters a change in the audit log. */
  readonly record: (action: AskedQueueAction) => Promise<void>;
  /** Whether the queues can be asked now; while they cannot, asking would keep the browser waiting. */
  readonly available: () => boolean;
  /** Decides by the sign-in session of the browser. */
  readonly allow: (request: FastifyRequest) => Promise<DashboardVisitor | 'sign-in' | 'forbidden'>;
  /** Answers 403 with a page. */
  readonly sendForbidden: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/**
 * bull-board under `/admin/queues`, read-only unless switched on. Every request of the scope passes one hook before anything of the
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
      return new NamedQueue(queue, dashboard.findTitles, { writable: dashboard.writable });
    }),
    serverAdapter: board,
    options: {
      uiConfig: {
        boardTitle: 'Queues',
        hideDocsLink: true,
        hideRedisDetails: true,
        showWorkers: false,
        pollingInterval: { showSetting: true, forceInterval: POLL_SECONDS },
      },
    },
  });
  // its own answer would carry the error's message
  board.setErrorHandler(() => ({ status: 500, body: { error: 'the queues cannot be read now' } }));
  await app.register(
    async (scope: FastifyInstance) => {
      scope.addHook('onRequest', async (request, reply) => await guard(dashboard, request, reply));
      scope.addHook('preHandler', async (request, reply) => await record(dashboard, request, reply));
      scope.addHook('preSerialization', async (request, _reply, payload) => {
        return request.dashboardVisitor?.mayChange === true ? payload : withoutButtons(payload);
      });
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
    if (isPage(request)) return await reply.code(303).header('location', DASHBOARD_SIGN_IN).send();
    return await reply.code(401).send({ error: 'sign in first' });
  }
  if (decision === 'forbidden') {
    await dashboard.sendForbidden(request, reply);
    return reply;
  }
  request.dashboardVisitor = decision;
  if (isChange(request)) {
    const refusal = refusalOf(dashboard, decision, request);
    if (refusal !== undefined) return await reply.code(403).send({ error: refusal });
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

function isChange({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Why somebody may not change this here; undefined where they may. */
function refusalOf(
  dashboard: QueueDashboard,
  visitor: DashboardVisitor,
  request: FastifyRequest,
): string | undefined {
  if (!dashboard.writable) return 'this dashboard only shows (QUEUE_DASHBOARD_WRITES)';
  if (!visitor.mayChange) return 'only an instance owner may change something here';
  if (!isOfOurPage(request, dashboard.origin)) return 'the request does not come from the dashboard';
  const action = ACTIONS.get(request.routeOptions.url ?? '');
  const { queueStatus = 'failed' } = request.params as Readonly<Record<string, string>>;
  if (action === undefined || request.method !== 'PUT' || queueStatus !== 'failed') {
    return 'jobs can be retried and promoted here, and queues paused and resumed; nothing else';
  }
  return undefined;
}

/**
 * A browser sends the origin of a request that changes something, in two headers; a request with neither is not from
 * our page. The cookie alone does not prove it, though it is Lax.
 */
function isOfOurPage({ headers }: FastifyRequest, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return headers.origin === origin;
}

/** What is allowed goes into the audit log before it is done. */
async function record(
  dashboard: QueueDashboard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const action = ACTIONS.get(request.routeOptions.url ?? '');
  const visitor = request.dashboardVisitor;
  if (!isChange(request) || action === undefined || visitor === undefined) return undefined;
  const { queueName = '', jobId } = request.params as Readonly<Record<string, string>>;
  const known = dashboard.queues.some(({ name }) => name === queueName);
  if (!known || (jobId !== undefined && !JOB_ID.test(jobId))) {
    return await reply.code(404).send({ error: 'not found' });
  }
  await dashboard.record({ action, actorId: visitor.userId, queue: queueName, job: jobId });
  return undefined;
}

/** The board shows its buttons by what the list of queues says; for who only looks there are none. */
function withoutButtons(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('queues' in payload)) return payload;
  const queues = payload.queues as readonly object[];
  return {
    ...payload,
    queues: queues.map((queue) => ({ ...queue, readOnlyMode: true, allowRetries: false })),
  };
}
