import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Whoever takes longer to send a body wants the connection and not the answer. */
const LONGEST_BODY_MS = 30_000;

const deadlines = new WeakMap<FastifyRequest['raw'], NodeJS.Timeout>();

/**
 * Ends connections whose request does not arrive. Node's own limit counts for every request of a server alike, and
 * files take as long as they take: those are held to the connection's limit on silence alone.
 */
export function limitBodyTime(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || (length !== undefined && length !== '0')) arm(request.raw);
    done();
  });
}

/** For a route that takes its body as it arrives, once the caller is known to be allowed to send it. */
export function allowSlowBody({ raw }: FastifyRequest): void {
  clearTimeout(deadlines.get(raw));
}

function arm(raw: FastifyRequest['raw']): void {
  const timer = setTimeout(() => raw.destroy(), LONGEST_BODY_MS).unref();
  deadlines.set(raw, timer);
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer));
}
