import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientLogos } from '../../domain/client-registration/logos/client-logos.js';
import { BrandingPolicies } from '../../domain/policies/branding-policies.js';
import { contentTypeOf } from '../../domain/policies/logo.js';
import { ErrorPages } from '../shared/pages/error-pages.js';

/**
 * Logos of organizations, and of clients that registered themselves, under names that change with the picture. Others uploaded them: whatever else such a file
 * may be taken for, it is sent as a picture, opens as one, and runs and loads nothing.
 */
@Controller('logos')
export class LogosController {
  constructor(
    private readonly branding: BrandingPolicies,
    private readonly clients: ClientLogos,
    private readonly errorPages: ErrorPages,
  ) {}

  @Get(':name')
  async logo(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<void> {
    const logo = (await this.branding.findLogo(name)) ?? (await this.clients.find(name));
    if (logo === undefined) return void this.errorPages.send(request, reply, 'not-found', 404);
    void reply
      .headers({
        'content-type': contentTypeOf(logo.name),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      })
      .send(logo.content);
  }
}
