import {
  applyDecorators,
  Catch,
  Controller,
  UseFilters,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../domain/shared/errors.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { redirectTo } from '../shared/pages/redirect.js';

/**
 * What the domain refuses and no page has a word for: a limit, or that something changed in another tab or by an
 * administrator meanwhile. Nothing was done then, and the overview shows how things stand.
 */
@Catch(ApiError)
class AccountErrorFilter implements ExceptionFilter<ApiError> {
  constructor(private readonly errorPages: ErrorPages) {}

  catch(error: ApiError, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { kind, retryAfterSeconds } = error;
    if (kind === 'resource-exhausted') {
      return void this.errorPages.send(request, reply, 'too-many-requests', 429, retryAfterSeconds);
    }
    if (kind === 'unavailable' || request.method === 'GET') {
      return void this.errorPages.send(request, reply, 'unavailable', 503, retryAfterSeconds);
    }
    void redirectTo(reply, '/account', 303);
  }
}

/** A controller of account pages. */
export function AccountController(path: string): ClassDecorator {
  return applyDecorators(Controller(path), UseFilters(AccountErrorFilter));
}
