import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { ApplicationsStore } from '../../domain/clients/applications.store.js';
import { InstanceStore } from '../../domain/orgs/instance.store.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import { CheckAccessToken, type LiveToken } from '../../domain/tokens/check-access-token.js';
import { rememberCaller } from './caller.js';

/** RFC 6750 §2.1: the scheme in any case, one space, the token. */
const BEARER = /^Bearer ([^ ]+)$/i;

/**
 * Bearer token → caller, or 401 (contract §0.4). The token is taken from the Authorization header and from nowhere
 * else: one in the query would end up in logs. Access tokens must be meant for this API, that is carry the service's
 * own project in their audience; personal access tokens always are.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly checkAccessToken: CheckAccessToken,
    private readonly instance: InstanceStore,
    private readonly applications: ApplicationsStore,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = await this.checkAccessToken.check(bearerToken(request));
    if (token === undefined || !(await this.isForApi(token))) {
      throw new ApiError('unauthenticated', 'Errors.Token.Invalid', 'AUTH-7fs1e');
    }
    if (token.actor !== undefined) {
      // whoever acts for another never administers in the other's name
      throw new ApiError('permission-denied', 'Errors.TokenExchange.Token.NotForAPI', 'APP-Shi0J');
    }
    await this.requireOrigin(request.headers.origin, token);
    rememberCaller(request, { userId: token.subject.id as UserId, orgId: token.subject.orgId as OrgId });
    return true;
  }

  private async isForApi({ kind, audience }: LiveToken): Promise<boolean> {
    return kind === 'pat' || audience.includes((await this.instance.read()).apiProjectId);
  }

  /** A script may use a client's token only from an origin of that client, and no script a personal access token. */
  private async requireOrigin(origin: string | undefined, { clientId }: LiveToken): Promise<void> {
    if (origin === undefined || origin === this.config.app.issuer.url) return;
    if (clientId !== undefined && (await this.applications.isOriginOfClient(clientId, origin))) return;
    throw new ApiError('permission-denied', 'Errors.OriginNotAllowed', 'AUTH-DZG21');
  }
}

function bearerToken(request: FastifyRequest): string {
  const { authorization } = request.headers;
  if (authorization === undefined) throw new ApiError('unauthenticated', 'auth header missing');
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw new ApiError('unauthenticated', 'invalid auth header', 'AUTH-toLo1');
  return token;
}
