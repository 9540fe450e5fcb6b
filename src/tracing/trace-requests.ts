import { SpanKind } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { OpenSpan } from './trace.js';

/**
 * A span for each request, named by method and route pattern: paths and queries can hold ids and codes. Call it before other
 * hooks are added, so that what they do is below it.
 */
export function traceRequests(fastify: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const span = OpenSpan.start({ name: request.method, kind: SpanKind.SERVER }, traceparentOf(request));
    if (span === undefined) return done();
    spans.set(request, span);
    span.enter(done);
  });
  // a body arrives outside of what the first hook entered
  fastify.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.enter(done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    if (span === undefined) return done();
    const route = request.routeOptions.url;
    span.enter(done);
    span.end(
      route === undefined ? request.method : `${request.method} ${route}`,
      {
        'http.request.method': request.method,
        ...(route !== undefined && { 'http.route': route }),
        'http.response.status_code': reply.statusCode,
        'request.id': request.id,
      },
      reply.statusCode >= 500,
    );
  });
}

/**
 * `traceparent` (W3C Trace Context §3.2), from a proxy that TRUSTED_PROXIES names alone: anybody else could have their requests
 * sampled, and name a trace of somebody else's. Fastify lists the hops that it believes, the peer first.
 */
function traceparentOf({ headers, ips }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && (ips?.length ?? 0) > 1 ? traceparent : undefined;
}
