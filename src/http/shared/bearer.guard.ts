import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../domain/shared/errors.js';
import { CheckAccessToken } from '../../domain/tokens/check-access-token.js';
import { bearerToken } from './bearer-token.js';
import { CallerLimits } from './caller-limits.js';
import { callerBy, rememberCaller } from './caller.js';
import { mayAskForStepUp } from './step-up.guard.js';
import { TokenRules } from './token-rules.js';

/** Bearer token → caller, or 401 (protocol §0.4). Access tokens must be meant for this API. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly checkAccessToken: CheckAccessToken,
    private readonly rules: TokenRules,
    private readonly limits: CallerLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = await this.checkAccessToken.check(
      bearerToken(request),
      mayAskForStepUp(this.reflector, context),
    );
    if (token === undefined || !(await this.rules.isForApi(token))) {
      throw new ApiError('unauthenticated', 'Errors.Token.Invalid', 'AUTH-7fs1e');
    }
    this.rules.refuseActor(token);
    await this.rules.requireOrigin(request.headers.origin, token);
    const caller = callerBy(token);
    await this.limits.admit(caller.userId);
    rememberCaller(request, caller);
    return true;
  }
}
