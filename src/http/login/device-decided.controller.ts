import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FindFlow } from '../../domain/authorize/flow/find-flow.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import { renderDeviceDecidedPage } from '../../pages/device-pages.js';
import { readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages/pages.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';

/** What people read once they have decided on a device, in the look of the other pages of their flow. */
@Controller('device')
export class DeviceDecidedController {
  constructor(
    private readonly findFlow: FindFlow,
    private readonly orgs: OrganizationsStore,
    private readonly ssoCookie: SsoCookie,
    private readonly pages: Pages,
  ) {}

  @Get('done')
  async done(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.showDecided(request, reply, 'done');
  }

  @Get('refused')
  async refused(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.showDecided(request, reply, 'refused');
  }

  private async showDecided(
    request: FastifyRequest,
    reply: FastifyReply,
    decision: 'done' | 'refused',
  ): Promise<void> {
    const flow = readQuery(request).get('flow');
    const over = await this.findFlow.findOver(flow, this.ssoCookie.read(request));
    const organization = over?.organization ?? (await this.orgs.findDefaultBranding());
    this.pages.send(request, reply, (page) => renderDeviceDecidedPage(page, decision), { organization });
  }
}
