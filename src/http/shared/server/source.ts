import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { addressGroup } from '../../../domain/shared/address-group.js';

/** Parameter decorator: where a request came from, as far as it counts as one source. */
export const Source = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  addressGroup(context.switchToHttp().getRequest<FastifyRequest>().ip),
);
