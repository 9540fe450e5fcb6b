import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { actorOf, ScimTokens } from '../../domain/scim/scim-tokens.js';
import { tokenInvalid } from '../../domain/shared/errors.js';
import { isId, type OrgId } from '../../domain/shared/ids.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { bearerToken } from './bearer-token.js';
import { rememberToken } from './scim-call.js';

/**
 * A SCIM token of the organization in the path, or 401: one of another organization, one that is over, and a token of any
 * other kind look the same. Every call counts for its token.
 */
@Injectable()
export class ScimGuard implements CanActivate {
  constructor(
    private readonly tokens: ScimTokens,
    private readonly limits: CallerLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { orgId } = request.params as { readonly orgId: OrgId };
    // what no id can look like never reaches the database
    const bearer = bearerToken(request);
    const token = isId(orgId) ? await this.tokens.authenticate(orgId, bearer) : undefined;
    if (token === undefined) throw tokenInvalid();
    await this.limits.admit(actorOf(token));
    rememberToken(request, token);
    return true;
  }
}
