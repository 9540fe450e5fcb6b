import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BeginOutcome } from '../../domain/authorize/begin-authorization.js';
import { BeginDeviceFlow } from '../../domain/authorize/begin-device-flow.js';
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
 * all others (§5.1).
 */
@Controller('device')
export class DeviceController {
  constructor(
    private readonly beginDeviceFlow: BeginDeviceFlow,
    private readonly replies: FlowReplies,
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.showForm(request, reply, { code: readQuery(request).get('user_code') });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    if (!this.csrf.holds(request, form.get('csrf'), STEP)) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const code = form.get('user_code');
    if (code === undefined) return this.showForm(request, reply, { problem: 'code-missing' });
    const tried = await this.limits.tryDeviceCode(request, () => this.begin(request, code));
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return this.showForm(request, reply, { code, problem: 'too-many-attempts' });
    }
    if (tried.result === undefined) return this.showForm(request, reply, { code, problem: 'code-not-valid' });
    await this.replies.sendBegun(request, reply, tried.result);
  }

  @Get('done')
  done(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pages.send(request, reply, (page) => renderDeviceDecidedPage(page, 'done'));
  }

  @Get('refused')
  refused(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pages.send(request, reply, (page) => renderDeviceDecidedPage(page, 'refused'));
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

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    view: Pick<DevicePage, 'code' | 'problem'>,
  ): void {
    const { problem } = view;
    const form = { action: PATH, csrf: this.csrf.token(STEP) };
    this.pages.send(request, reply, (page) => renderDevicePage({ ...page, ...view, form }), {
      status: problem === undefined ? 200 : problem === 'too-many-attempts' ? 429 : 400,
    });
  }
}
