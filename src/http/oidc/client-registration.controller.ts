import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadRegistration } from '../../domain/client-registration/configuration/read-registration.js';
import { RemoveRegistration } from '../../domain/client-registration/configuration/remove-registration.js';
import { ReplaceRegistration } from '../../domain/client-registration/configuration/replace-registration.js';
import { printable, unfit } from '../../domain/client-registration/metadata/metadata-fault.js';
import { RegisterClient } from '../../domain/client-registration/register-client.js';
import { ApiError, OAuthError } from '../../domain/shared/errors.js';
import { AddressLimits, TooManyRequests } from '../shared/server/address-limits.js';
import { readJsonBody, UnreadableBody } from '../shared/server/json-body.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

/** RFC 6750 §2.1: the scheme in any case, one space, the token. */
const BEARER = /^Bearer ([!-~]{1,200})$/i;

/** The client registration endpoint (RFC 7591 §3) and the client configuration endpoint (RFC 7592 §2). */
@Controller('oauth/v2/register')
@UseFilters(OAuthErrorFilter)
export class ClientRegistrationController {
  constructor(
    private readonly registerClient: RegisterClient,
    private readonly readRegistration: ReadRegistration,
    private readonly replaceRegistration: ReplaceRegistration,
    private readonly removeRegistration: RemoveRegistration,
    private readonly limits: AddressLimits,
  ) {}

  @Post()
  async register(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const token = tokenOf(request);
    await this.answer(reply, 201, async () => {
      await this.limits.admitRegistration(request, token === undefined);
      return await this.registerClient.register(bodyOf(request), token);
    });
  }

  @Get(':clientId')
  async read(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('clientId') clientId: string,
  ): Promise<void> {
    await this.answer(reply, 200, async () => {
      await this.limits.admitConfiguration(request);
      return await this.readRegistration.execute(clientId, tokenOf(request));
    });
  }

  @Put(':clientId')
  async replace(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('clientId') clientId: string,
  ): Promise<void> {
    await this.answer(reply, 200, async () => {
      await this.limits.admitConfiguration(request);
      return await this.replaceRegistration.execute(clientId, tokenOf(request), bodyOf(request));
    });
  }

  @Delete(':clientId')
  @HttpCode(204)
  async remove(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('clientId') clientId: string,
  ): Promise<void> {
    await this.answer(reply, 204, async () => {
      await this.limits.admitConfiguration(request);
      await this.removeRegistration.execute(clientId, tokenOf(request));
    });
  }

  private async answer(
    reply: FastifyReply,
    status: number,
    work: () => Promise<object | void>,
  ): Promise<void> {
    try {
      const answer = await work();
      void reply.code(status).headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(answer);
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      this.limits.refuse(reply, error.retryAfterSeconds);
    }
  }
}

/** @throws OAuthError for an Authorization header that has no bearer token */
function tokenOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  if (authorization === undefined) return undefined;
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw new OAuthError('invalid_token', 'the Authorization header has no bearer token');
  return token;
}

/** @throws OAuthError invalid_client_metadata for what is no JSON */
function bodyOf(request: FastifyRequest): unknown {
  try {
    return readJsonBody(request);
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof UnreadableBody)) throw error;
    throw unfit(printable(error.text));
  }
}
