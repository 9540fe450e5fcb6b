import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Acting } from '../../domain/permissions/acting.js';
import type { RequestingToken } from '../../domain/permissions/requesting-token.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import type { LiveToken } from '../../domain/tokens/access-token/check-access-token.js';
import { parseTokenId } from '../../domain/tokens/token-id.js';

/** Who makes a request to the APIs, as the bearer token says. */
export interface Caller {
  readonly userId: UserId;
  /** The organization that owns the caller: where they act unless they say otherwise. */
  readonly orgId: OrgId;
  /** The credential of work that continues after the call. */
  readonly askedWith: RequestingToken;
  /** The session that the token came from; where there is none, the token itself. */
  readonly session: string;
  /** How somebody signed in who is no service user; known where a route asks for it. */
  readonly person?: { readonly acr?: string; readonly authTime?: number };
  /** Who acts, and through which application: what every check of a permission or a rank asks. */
  readonly acting: Acting;
}

/** The caller that a live token speaks for. */
export function callerBy(token: LiveToken): Caller {
  const userId = token.subject.id as UserId;
  return {
    userId,
    orgId: token.subject.orgId as OrgId,
    session: token.sessionId ?? token.jti,
    acting: { actorId: userId, through: token.applicationId ?? null },
    askedWith:
      token.kind === 'pat' ? { tokenId: token.jti } : { subjectEpoch: parseTokenId(token.jti)?.subjectEpoch },
    ...(token.subject.claims.kind === 'human' ? { person: personOf(token) } : {}),
  };
}

function personOf({ context }: LiveToken): NonNullable<Caller['person']> {
  const { acr, authTime } = context ?? {};
  return { ...(acr !== undefined && { acr }), ...(authTime !== undefined && { authTime }) };
}

const callers = new WeakMap<FastifyRequest, Caller>();
const organizations = new WeakMap<FastifyRequest, OrgId>();

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** @throws when no guard has run: a route without one must fail, not answer */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('this route has no bearer guard');
  return caller;
}

export function rememberOrganization(request: FastifyRequest, orgId: OrgId): void {
  organizations.set(request, orgId);
}

/** The organization the permission was checked for: the only one that the request may touch. */
export function organizationOf(request: FastifyRequest): OrgId {
  const orgId = organizations.get(request);
  if (orgId === undefined) throw new Error('this route has no permission guard');
  return orgId;
}

/** The same; undefined where callers act on their own account. */
export function findOrganization(request: FastifyRequest): OrgId | undefined {
  return organizations.get(request);
}

function fromRequest<T>(read: (request: FastifyRequest) => T) {
  return createParamDecorator((_: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<FastifyRequest>()),
  );
}

/** Parameter decorator: the authenticated `Caller`. */
export const CallerParam = fromRequest(callerOf);
/** Parameter decorator: the `OrgId` the request acts in. */
export const ActingOrg = fromRequest(organizationOf);
