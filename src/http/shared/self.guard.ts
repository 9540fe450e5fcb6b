import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnknownHere } from '../../domain/applications/application.js';
import { EffectiveRoles } from '../../domain/permissions/effective-roles.js';
import { FRESH_SECONDS } from '../../domain/sessions/proof.js';
import { Clock } from '../../domain/shared/clock.js';
import { AuthenticationTooOld, tokenInvalid } from '../../domain/shared/errors.js';
import type { LiveToken } from '../../domain/tokens/access-token/check-access-token.js';
import { ApiTokens } from './api-tokens.js';
import { CallerLimits } from './caller-limits.js';
import { callerBy, rememberCaller, rememberOrganization } from './caller.js';
import { TokenRules } from './token-rules.js';

/**
 * What a route under `/auth/v1/users/me` asks of the token: to be used (`use`), scope `openid`; to read, the same, and of an
 * application with pairwise subjects, which would learn who its user is, the service's audience as well; to write, the service's audience
 * as well, of an application that reaches all of the user's account; and where the account could be taken over (`fresh`), that the user signed in a short while ago.
 */
type SelfAccess = 'use' | 'read' | 'write' | 'fresh';
export const AsksFor = Reflector.createDecorator<SelfAccess>();

/** Of a controller: for what one needs to have a second factor, so that it works for whoever must set one up first. */
export const SetsUpFactor = Reflector.createDecorator<true>();

/** The caller is whom the token speaks for, and acts in their own organization; no header says otherwise. */
@Injectable()
export class SelfGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: ApiTokens,
    private readonly rules: TokenRules,
    private readonly roles: EffectiveRoles,
    private readonly limits: CallerLimits,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.get(AsksFor, context.getHandler());
    if (access === undefined) throw new Error(`${context.getHandler().name} does not say what it asks for`);
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const token = await this.tokens.check(request, reply, access === 'fresh');
    if (token === undefined || !(await this.isMeantForIt(token, access))) {
      throw tokenInvalid();
    }
    this.rules.refuseActor(token);
    await this.rules.requireOrigin(request.headers.origin, token);
    if (access === 'fresh') this.requireFresh(token);
    const caller = callerBy(token);
    await this.limits.admit(caller.userId);
    // by its application's access at this moment, which is why the audience alone is not enough
    const setsUpFactor: boolean | undefined = this.reflector.get(SetsUpFactor, context.getClass());
    if (access !== 'use' && access !== 'read')
      await this.roles.requireWholeUser(caller.acting, caller.orgId, setsUpFactor);
    rememberCaller(request, caller);
    rememberOrganization(request, caller.orgId);
    return true;
  }

  private async isMeantForIt(token: LiveToken, access: SelfAccess): Promise<boolean> {
    if (!token.scopes.includes('openid')) return false;
    // what nobody here has checked reads by userinfo what its user was shown; names of pairwise subjects are not for these answers
    const mayRead = token.pairwiseSector === undefined && !isUnknownHere(token);
    return access === 'use' || (access === 'read' && mayRead) || (await this.rules.isForApi(token));
  }

  /** A token that says nothing of a sign-in, such as a personal access token, is never fresh; nor is one by a session of a provider. */
  private requireFresh({ context }: LiveToken): void {
    const { authTime, isUnseen = false } = context ?? {};
    if (!isUnseen && authTime !== undefined && this.clock.nowSeconds() - authTime <= FRESH_SECONDS) return;
    throw new AuthenticationTooOld(FRESH_SECONDS);
  }
}
