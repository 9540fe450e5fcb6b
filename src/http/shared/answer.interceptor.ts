import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { uncached } from './api-errors.js';
import { answerOf } from './operation.js';

/**
 * Makes the answer of what a handler returns, by the schema of its `@Operation`. Answers of the APIs hold secrets and
 * personal data, so no cache may keep them; errors say so themselves.
 */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    void context.switchToHttp().getResponse<FastifyReply>().headers(uncached());
    return next.handle().pipe(map((returned: unknown) => wireOf(context.getHandler(), returned)));
  }
}

function wireOf(handler: object, returned: unknown): unknown {
  // made already: it had to be stored in the transaction of the change
  if (returned instanceof WireAnswer) return returned.wire;
  const isSentAsItIs = returned === undefined || returned instanceof StreamableFile;
  return isSentAsItIs ? returned : answerOf(handler, returned);
}
