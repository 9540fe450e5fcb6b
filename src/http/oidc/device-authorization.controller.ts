import { Controller, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DeviceAuthorizationEndpoint } from '../../domain/grants/device-authorization-endpoint.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { ClientRequests } from './client-requests.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

/** The device authorization endpoint (RFC 8628 §3.1). */
@Controller()
@UseFilters(OAuthErrorFilter)
export class DeviceAuthorizationController {
  constructor(
    private readonly endpoint: DeviceAuthorizationEndpoint,
    private readonly requests: ClientRequests,
    private readonly limits: AddressLimits,
  ) {}

  @Post('oauth/v2/device_authorization')
  @HttpCode(200)
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const wait = await this.limits.countDeviceRequest(request);
    if (wait !== undefined) return void this.limits.refuse(reply, wait);
    await this.requests.answer('device_authorization', request, reply, (credentials) =>
      this.endpoint.answer(credentials, request.ip),
    );
  }
}
