import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { uncached } from './api-errors.js';
import { requireOwnCursor, withPlace } from './cursor-places.js';
import { tagOf } from './if-match.js';
import { answerOf } from './operation.js';

/**
 * Makes the answer of what a handler returns, by the schema of its `@Operation`. Answers of the APIs hold secrets and
 * personal data, so no cache may keep them; errors say so themselves. A thing that is read by itself has its sequence as `ETag`,
 * for the `If-Match` of a change. A cursor is of the list that gave it.
 */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>().headers(uncached());
    const request = http.getRequest<FastifyRequest>();
    const isRead = request.method === 'GET';
    requireOwnCursor(request);
    return next.handle().pipe(
      map((returned: unknown) => {
        const wire = withPlace(wireOf(context.getHandler(), returned), request);
        const tag = isRead ? tagOf(wire) : undefined;
        if (tag !== undefined) void reply.header('etag', tag);
        return wire;
      }),
    );
  }
}

function wireOf(handler: object, returned: unknown): unknown {
  // made already: it had to be stored in the transaction of the change
  if (returned instanceof WireAnswer) return returned.wire;
  const isSentAsItIs = returned === undefined || returned instanceof StreamableFile;
  return isSentAsItIs ? returned : answerOf(handler, returned);
}
