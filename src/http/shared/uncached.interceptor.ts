import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { uncached } from './api-errors.js';

/** Answers of the APIs hold secrets and personal data, so no cache may keep them; errors say so themselves. */
@Injectable()
export class UncachedInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    void context.switchToHttp().getResponse<FastifyReply>().headers(uncached());
    return next.handle();
  }
}
