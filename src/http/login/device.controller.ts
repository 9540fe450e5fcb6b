import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BeginDeviceFlow } from '../../domain/authorize/flow/begin-device-flow.js';
import type { BeginOutcome } from '../../domain/authorize/flow/decide-request.js';
import { OAuthError } from '../../domain/shared/errors.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { DeviceForm } from './device-form.js';

/**
 * Where people connect a device that has no browser (RFC 8628 §3.3): they type the code that it shows, sign in, see what is
 * being allowed to whom (`consent.controller.ts`), and agree. Wrong codes count with the address that they come from and with
 * all others (§5.1).
 */
@Controller('device')
export class DeviceController {
  constructor(
    private readonly beginDeviceFlow: BeginDeviceFlow,
    private readonly form: DeviceForm,
    private readonly replies: FlowReplies,
    private readonly ssoCookie: SsoCookie,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.form.show(request, reply, { code: readQuery(request).get('user_code') });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    if (!this.form.holds(request, form.get('csrf'))) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const code = form.get('user_code');
    if (code === undefined) return await this.form.show(request, reply, { problem: 'code-missing' });
    const tried = await this.limits.tryDeviceCode(request, () => this.begin(request, code));
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.form.show(request, reply, { code, problem: 'too-many-attempts' });
    }
    if (tried.result === undefined)
      return await this.form.show(request, reply, { code, problem: 'code-not-valid' });
    await this.replies.sendBegun(request, reply, tried.result);
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
}
