import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokenInvalid } from '../../domain/shared/errors.js';
import { ApiTokens } from './api-tokens.js';
import { CallerLimits } from './caller-limits.js';
import { callerBy, rememberCaller } from './caller.js';
import { mayAskForStepUp } from './step-up.guard.js';
import { TokenRules } from './token-rules.js';

/** Access token → caller, or 401 (protocol §0.4). Access tokens must be meant for this API. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: ApiTokens,
    private readonly rules: TokenRules,
    private readonly limits: CallerLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const token = await this.tokens.check(request, reply, mayAskForStepUp(this.reflector, context));
    if (token === undefined || !(await this.rules.isForApi(token))) {
      throw tokenInvalid();
    }
    this.rules.refuseActor(token);
    await this.rules.requireOrigin(request.headers.origin, token);
    const caller = callerBy(token);
    await this.limits.admit(caller.userId);
    rememberCaller(request, caller);
    return true;
  }
}
