import { randomUUID } from 'node:crypto';
import type { DynamicModule, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppConfig } from '../../../config/config.js';
import { ApplicationsStore } from '../../../domain/applications/applications.store.js';
import type { Log } from '../../../domain/shared/log.js';
import { traceRequests } from '../../../tracing/trace-requests.js';
import { ExceptionsFilter, sendUnroutable } from '../exceptions.filter.js';
import { FormBody } from '../oauth-form.js';
import { ErrorPages } from '../pages/error-pages.js';
import { limitBodyTime } from './body-deadline.js';
import { enableCors } from './cors.js';
import { registerJsonParser } from './json-body.js';
import { KnownRoutes } from './known-routes.js';
import { warnOfUnlistedProxy } from './unlisted-proxy.js';

/** OAuth forms and sign-in forms are small; whatever is larger is not one. */
const FORM_LIMIT_BYTES = 64 * 1024;
/** What a directory says of somebody, with all their groups. */
const SAML_LIMIT_BYTES = 384 * 1024;
const JSON_LIMIT_BYTES = 4 * 1024 * 1024;

/** Builds the API around its module: adapter, parsers, headers, cookies, errors. Listens to nothing yet. */
export async function createApp(
  module: DynamicModule | Type,
  config: AppConfig,
  log: Log,
  logger: LoggerService,
): Promise<NestFastifyApplication> {
  const { trustedProxies } = config.http;
  const adapter = new FastifyAdapter({
    bodyLimit: JSON_LIMIT_BYTES,
    // bodies: body-deadline.ts
    http: { headersTimeout: 30_000 },
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    // forwarded headers count only when they come from a proxy that the operator named
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    routerOptions: { maxParamLength: 600 },
    // what the router itself refuses reaches no controller and no filter
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
      void reply.headers(securityHeaders(config.issuer.secure));
      sendUnroutable(request, reply, error.code);
    },
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  if (config.tracing !== undefined) traceRequests(fastify);
  const routes = new KnownRoutes();
  routes.watch(fastify);
  registerParsers(fastify);
  fastify.addHook('onRoute', (route) => {
    if (route.url === '/login/idps/:id/callback') route.bodyLimit = SAML_LIMIT_BYTES;
  });
  setSecurityHeaders(fastify, config.issuer.secure);
  limitBodyTime(fastify);
  logRequests(fastify, log);
  warnOfUnlistedProxy(fastify, log);

  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ExceptionsFilter(app.get(ErrorPages), routes, log));
  enableCors(fastify, app.get(ApplicationsStore), config.clientRegistration.mode !== 'off');
  return app;
}

function registerParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
    (_request, body, done) => done(null, new FormBody(body as string)),
  );
  registerJsonParser(fastify);
}

function securityHeaders(secure: boolean): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(secure ? { 'strict-transport-security': 'max-age=63072000; includeSubDomains' } : {}),
  };
}

function setSecurityHeaders(fastify: FastifyInstance, secure: boolean): void {
  const headers = securityHeaders(secure);
  fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers);
    done();
  });
}

/** One line a request, with the route's pattern: paths and queries can hold ids and codes. */
function logRequests(fastify: FastifyInstance, log: Log): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const fields = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    if (reply.statusCode >= 500) log.warn('request failed', fields);
    else log.debug('request', fields);
    done();
  });
}
