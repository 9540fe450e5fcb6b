import type { FastifyInstance } from 'fastify';
import type { NotifyRequestDelay } from '../domain/request-delay/notify-request-delay.js';
import type { Metrics } from './metrics.js';

/** Times every answer of the public port under its route pattern; call before the routes are made. */
export function measureHttp(fastify: FastifyInstance, metrics: Metrics, delay: NotifyRequestDelay): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    // a path nobody registered is whatever the caller typed, so it is no label
    const route = request.routeOptions.url ?? 'unmatched';
    metrics.httpDuration.observe(
      { route, method: request.method, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    );
    delay.answered();
    done();
  });
}
