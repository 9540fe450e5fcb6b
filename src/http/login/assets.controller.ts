import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assets } from '../../pages/design/assets.js';
import { sendAsset } from '../shared/pages/assets.js';
import { ErrorPages } from '../shared/pages/error-pages.js';

/** The stylesheet and the icon, whose names change with their content. */
@Controller()
export class AssetsController {
  constructor(private readonly errorPages: ErrorPages) {}

  @Get('assets/:name')
  asset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const asset = assets.get(request.url);
    if (asset === undefined) return void this.errorPages.send(request, reply, 'not-found', 404);
    sendAsset(reply, asset);
  }
}
