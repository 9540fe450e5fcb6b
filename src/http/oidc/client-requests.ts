import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../../domain/shared/errors.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { AddressLimits } from '../shared/address-limits.js';
import { readFormOnly } from '../shared/oauth-form.js';

/** What somebody guessing would run into; other refusals are honest clients' mistakes. */
const GUESSES = new Set(['invalid_client', 'invalid_grant']);

/** Requests by which clients authenticate: a form, no query, within the limit of their address, never cached. */
@Injectable()
export class ClientRequests {
  constructor(private readonly limits: AddressLimits) {}

  /** Sends what `work` makes of the form; nothing at all where it makes nothing. */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (parameters: OAuthParameters, authorization: string | undefined) => Promise<object | undefined>,
  ): Promise<void> {
    const limited = this.limits.checkToken(request);
    if (limited !== undefined) return void this.limits.refuse(reply, limited);
    const answer = await work(readFormOnly(request), request.headers.authorization).catch(
      async (error: unknown): Promise<never> => {
        if (error instanceof OAuthError && GUESSES.has(error.code)) {
          await this.limits.countTokenFailure(request);
        }
        throw error;
      },
    );
    void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(answer);
  }
}
