import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientFailures, type ClientEndpoint } from '../../domain/client-auth/client-failures.js';
import { isGuess } from '../../domain/client-auth/client-fault.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { AddressLimits, TooManyRequests } from '../shared/address-limits.js';
import { readFormOnly } from '../shared/oauth-form.js';

/** Requests by which clients authenticate: a form, no query, their failures counted (ClientFailures), never cached. */
@Injectable()
export class ClientRequests {
  constructor(
    private readonly failures: ClientFailures,
    private readonly limits: AddressLimits,
  ) {}

  /** Sends what `work` makes of the form. */
  async answer(
    endpoint: ClientEndpoint,
    request: FastifyRequest,
    reply: FastifyReply,
    work: (parameters: OAuthParameters, authorization: string | undefined) => Promise<object>,
  ): Promise<void> {
    try {
      const answer = await work(readFormOnly(request), request.headers.authorization);
      void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(answer);
    } catch (error) {
      if (error instanceof TooManyRequests) return void this.limits.refuse(reply, error.retryAfterSeconds);
      const wait = isGuess(error) ? await this.failures.count(endpoint, request.ip, error) : undefined;
      if (wait === undefined) throw error;
      this.limits.refuse(reply, wait);
    }
  }
}
