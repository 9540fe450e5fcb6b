import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Log } from '../../domain/shared/log.js';
import { sendApiError } from './api-errors.js';

/** Errors of `/management/v1`, `/auth/v1` and `/admin/v1`: the API's `{code, message, details}`. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendApiError(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error, this.log);
  }
}
