import type { Readable } from 'node:stream';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** The body of a route that takes it as it arrives, read by nobody yet. */
export class StreamedBody {
  constructor(readonly stream: Readable) {}
}

interface StreamedRoute {
  readonly streamed?: true;
}

/** On a handler whose body may be larger than memory: no parser touches it. */
export function Streamed(): MethodDecorator {
  return RouteConfig({ streamed: true } satisfies StreamedRoute);
}

export function isStreamed(request: FastifyRequest): boolean {
  return (request.routeOptions.config as StreamedRoute).streamed === true;
}

/** Undefined for a request without a body. */
export function streamedBody({ body }: FastifyRequest): Readable | undefined {
  return body instanceof StreamedBody ? body.stream : undefined;
}

const LONGEST_DRAIN_MS = 30_000;

/**
 * Reads and discards the rest of a body, so that its sender sees the answer; a sender that
 * continues for too long is disconnected.
 */
export function drain(body: Readable | undefined): void {
  if (body === undefined || body.destroyed || body.readableEnded) return;
  const timer = setTimeout(() => body.destroy(), LONGEST_DRAIN_MS).unref();
  body.once('close', () => clearTimeout(timer));
  body.on('error', () => undefined);
  body.resume();
}
