import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AnsweredRequest } from '../../domain/idempotency/idempotent-requests.js';
import type { Acting } from '../../domain/permissions/acting.js';
import type { RequestingToken } from '../../domain/permissions/requesting-token.js';
import type { UserId } from '../../domain/shared/ids.js';
import { callerOf, organizationOf } from './caller.js';
import { ifMatchOf } from './if-match.js';
import { answerOf } from './operation.js';
import { readJsonBody } from './server/json-body.js';

/** A call that writes: who, where, what, and under which key it may be repeated. */
export interface ApiCall extends AnsweredRequest {
  readonly body: unknown;
  /** The caller, and through what they act. */
  readonly acting: Acting;
  readonly askedWith: RequestingToken;
}

/** The change of a user that a call asks for. */
export function userChange({ orgId, acting }: ApiCall, userId: UserId) {
  return { orgId, userId, ...acting };
}

/** What the query says is part of the request as well; most have none. */
function queryOf({ query }: FastifyRequest): { readonly query?: unknown } {
  return typeof query === 'object' && query !== null && Object.keys(query).length > 0 ? { query } : {};
}

/** Parameter decorator for an `ApiCall`. It runs after the guards, so the body is looked at last. */
export const Call = createParamDecorator((_: unknown, context: ExecutionContext): ApiCall => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const body = readJsonBody(request);
  const key = request.headers['idempotency-key'];
  const { through } = callerOf(request).acting;
  const readAt = ifMatchOf(context);
  return {
    caller: callerOf(request).userId,
    acting: callerOf(request).acting,
    askedWith: callerOf(request).askedWith,
    orgId: organizationOf(request),
    route: `${request.method} ${request.routeOptions.url ?? ''}`,
    key: typeof key === 'string' ? key : undefined,
    // an application with fewer permissions must not get another one's cached answer for the same user
    content: {
      parameters: request.params,
      ...queryOf(request),
      body: body ?? null,
      ...(through !== null && { through }),
      ...(readAt !== undefined && { readAt }),
    },
    body,
    readAt,
    encode: (answer) => answerOf(context.getHandler(), answer),
  };
});
