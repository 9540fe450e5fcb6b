import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { placeOf } from '../../domain/authorize/flow/find-flow.js';
import { RequestPasswordReset } from '../../domain/sign-in/request-password-reset.js';
import { ResetHandles } from '../../domain/sign-in/reset-handles.js';
import { RESEND_COOLDOWN_MS } from '../../domain/users/verification/verification-codes.store.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { FlowForms } from './flow-forms.js';
import { ForgottenPasswordForm } from './forgotten-password-form.js';

/**
 * "Forgotten password?", within a sign-in or without one. Whatever name is typed, the answer is the same: the page, its
 * time, and what can be done on it (security S051).
 */
@Controller('password/forgotten')
export class ForgottenPasswordController {
  constructor(
    private readonly requestReset: RequestPasswordReset,
    private readonly handles: ResetHandles,
    private readonly page: ForgottenPasswordForm,
    private readonly forms: FlowForms,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.find(request, readQuery(request).get('flow'));
    this.page.show(request, reply, flow, { loginName: flow?.request?.loginHint });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const flow = await this.forms.find(request, form.get('flow'));
    if (!this.page.holds(request, flow, form.get('csrf'))) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const loginName = form.get('loginName');
    if (loginName === undefined) {
      return this.page.show(request, reply, flow, { problem: 'login-name-missing' });
    }
    const wait = await this.limits.countMailRequest(request);
    if (wait !== undefined) {
      void reply.header('retry-after', String(wait));
      return this.page.show(request, reply, flow, { loginName, problem: 'too-many-attempts' });
    }
    const before = form.get('request');
    const opened = await this.handles.open(before);
    // too soon is known from the handle, not from the user: it reads the same for a name that means nobody
    if (before !== undefined && opened !== undefined && opened.ageMs < RESEND_COOLDOWN_MS) {
      const sent = { loginName, handle: before, ageMs: opened.ageMs, again: false };
      return this.page.showSent(request, reply, flow, sent);
    }
    const handle = await this.requestReset.execute({
      loginName,
      source: request.ip,
      flowId: flow?.id,
      // a sign-in that was answered or has expired still names its organization
      place: placeOf(flow ?? (await this.forms.findOver(request, form.get('flow')))),
    });
    this.page.showSent(request, reply, flow, { loginName, handle, ageMs: 0, again: opened !== undefined });
  }
}
