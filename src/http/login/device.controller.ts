import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BeginOutcome } from '../../domain/authorize/begin-authorization.js';
import { BeginDeviceFlow } from '../../domain/authorize/begin-device-flow.js';
import { FindFlow } from '../../domain/authorize/find-flow.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import { OAuthError } from '../../domain/shared/errors.js';
import { renderDeviceDecidedPage, renderDevicePage, type DevicePage } from '../../pages/device-pages.js';
import { AddressLimits } from '../shared/address-limits.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { FlowReplies } from '../shared/flow-replies.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { SsoCookie } from '../shared/sso-cookie.js';

const STEP = 'device';
const PATH = '/device';

/**
 * Where people connect a device that has no browser (RFC 8628 §3.3): they type the code that it shows, sign in, see what is
 * being allowed to whom (`consent.controller.ts`), and agree. Wrong codes count with the address that they come from and with
 * all others (§5.1). Until a code was typed the page looks as the default organization: a link with a code tells nothing of
 * whose it is. The page after the decision looks as the others of its flow.
 */
@Controller('device')
export class DeviceController {
  constructor(
    private readonly beginDeviceFlow: BeginDeviceFlow,
    private readonly findFlow: FindFlow,
    private readonly orgs: OrganizationsStore,
    private readonly replies: FlowReplies,
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.showForm(request, reply, { code: readQuery(request).get('user_code') });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    if (!this.csrf.holds(request, form.get('csrf'), STEP)) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const code = form.get('user_code');
    if (code === undefined) return await this.showForm(request, reply, { problem: 'code-missing' });
    const tried = await this.limits.tryDeviceCode(request, () => this.begin(request, code));
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.showForm(request, reply, { code, problem: 'too-many-attempts' });
    }
    if (tried.result === undefined)
      return await this.showForm(request, reply, { code, problem: 'code-not-valid' });
    await this.replies.sendBegun(request, reply, tried.result);
  }

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

  private async begin(request: FastifyRequest, code: string): Promise<BeginOutcome | undefined> {
    const admit = (): Promise<void> => this.limits.admitFlow(request);
    try {
      return await this.beginDeviceFlow.execute(code, this.ssoCookie.read(request), admit);
    } catch (error) {
      // its application lost what it had asked for: the device has to ask again
      if (error instanceof OAuthError) return undefined;
      throw error;
    }
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    view: Pick<DevicePage, 'code' | 'problem'>,
  ): Promise<void> {
    const { problem } = view;
    const form = { action: PATH, csrf: this.csrf.token(STEP) };
    this.pages.send(request, reply, (page) => renderDevicePage({ ...page, ...view, form }), {
      status: problem === undefined ? 200 : problem === 'too-many-attempts' ? 429 : 400,
      organization: await this.orgs.findDefaultBranding(),
    });
  }
}
