import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientFault } from '../../domain/client-auth/client-fault.js';
import { Log } from '../../domain/shared/log.js';
import { sendOAuthError, toOAuthError } from '../shared/oauth-errors.js';

/** Errors of the token-level endpoints: JSON in the form of RFC 6749 §5.2. */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const oauthError = toOAuthError(error, request.id, this.log);
    if (oauthError.reason !== undefined) {
      const { code, reason } = oauthError;
      // by the client's own id, never in the words of the request
      const clientId = oauthError instanceof ClientFault ? oauthError.client.known?.id : undefined;
      this.log.info('refused', { requestId: request.id, code, clientId, reason });
    }
    void sendOAuthError(http.getResponse<FastifyReply>(), oauthError);
  }
}
