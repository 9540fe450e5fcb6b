import {
  applyDecorators,
  Catch,
  Controller,
  Injectable,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type ArgumentsHost,
  type CallHandler,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { Log } from '../../domain/shared/log.js';
import { uncached } from '../shared/api-errors.js';
import { sendScimError } from '../shared/scim-errors.js';
import type { ScimAnswer } from './scim-call.js';
import { ScimGuard } from './scim.guard.js';

/** Sends what a handler returns as `application/scim+json` (RFC 7644 §3.1), which no cache may keep. */
@Injectable()
class ScimAnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<ScimAnswer>): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map(({ status, body, location, etag }) => {
        void reply.code(status).headers({
          ...uncached(),
          ...(location !== undefined && { location }),
          ...(etag !== undefined && { etag }),
          ...(body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
        });
        return body === undefined ? undefined : JSON.stringify(body);
      }),
    );
  }
}

@Catch()
class ScimErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendScimError(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error, this.log);
  }
}

/** A controller below `/scim/v2/{orgId}`. */
export function ScimController(path: string): ClassDecorator {
  return applyDecorators(
    Controller(`scim/v2/:orgId${path}`),
    UseGuards(ScimGuard),
    UseInterceptors(ScimAnswerInterceptor),
    UseFilters(ScimErrorFilter),
  );
}
