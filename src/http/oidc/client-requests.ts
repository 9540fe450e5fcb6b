import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientCredentials } from '../../domain/client-auth/client-authentication.js';
import { ClientFailures, type ClientEndpoint } from '../../domain/client-auth/client-failures.js';
import { isGuess } from '../../domain/client-auth/client-fault.js';
import { assertedClientId } from '../../domain/client-auth/private-key-jwt.js';
import { ResolveClientDocument } from '../../domain/client-registration/documents/resolve-client-document.js';
import type { PresentedProof } from '../../domain/dpop/check-dpop-proof.js';
import { DpopHeaders } from '../shared/dpop-headers.js';
import { readFormOnly } from '../shared/oauth-form.js';
import { AddressLimits, TooManyRequests } from '../shared/server/address-limits.js';
import { ClientCertificates } from '../shared/server/client-certificates.js';

/** Requests by which clients authenticate: a form, no query, their failures counted (ClientFailures), never cached. */
@Injectable()
export class ClientRequests {
  constructor(
    private readonly failures: ClientFailures,
    private readonly limits: AddressLimits,
    private readonly dpopHeaders: DpopHeaders,
    private readonly certificates: ClientCertificates,
    private readonly documents: ResolveClientDocument,
  ) {}

  /** Sends what `work` makes of the form. */
  async answer(
    endpoint: ClientEndpoint,
    request: FastifyRequest,
    reply: FastifyReply,
    work: (credentials: ClientCredentials, proof: PresentedProof | undefined) => Promise<object | string>,
  ): Promise<void> {
    try {
      const credentials = {
        parameters: readFormOnly(request),
        authorization: request.headers.authorization,
        certificate: this.certificates.of(request),
      };
      const proof =
        request.headers.dpop === undefined ? undefined : await this.dpopHeaders.read(request, reply);
      await this.documents.refreshKnown(assertedClientId(credentials));
      const answer = await work(credentials, proof);
      void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(answer);
    } catch (error) {
      if (error instanceof TooManyRequests) return void this.limits.refuse(reply, error.retryAfterSeconds);
      const wait = isGuess(error) ? await this.failures.count(endpoint, request.ip, error) : undefined;
      if (wait === undefined) throw error;
      this.limits.refuse(reply, wait);
    }
  }
}
