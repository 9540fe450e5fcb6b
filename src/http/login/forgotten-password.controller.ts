import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { placeOf, type Flow } from '../../domain/authorize/find-flow.js';
import { RequestPasswordReset } from '../../domain/sign-in/request-password-reset.js';
import { ResetHandles } from '../../domain/sign-in/reset-handles.js';
import { RESEND_COOLDOWN_MS } from '../../domain/users/verification/verification-codes.store.js';
import {
  renderForgottenPasswordPage,
  renderResetSentPage,
  type ForgottenPasswordPage,
} from '../../pages/forgotten-password-pages.js';
import type { FormView } from '../../pages/form-parts.js';
import { AddressLimits } from '../shared/address-limits.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { flowPageOptions } from '../shared/flow-replies.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages, type PageOptions } from '../shared/pages.js';
import { FlowForms } from './flow-forms.js';
import { inFlow } from './flow-pages.js';

const STEP = 'forgotten-password';
const PATH = '/password/forgotten';

interface Sent {
  readonly loginName: string;
  readonly handle: string;
  readonly ageMs: number;
  readonly again: boolean;
}

/**
 * "Forgotten password?", within a sign-in or without one. Whatever name is typed, the answer is the same: the page, its
 * time, and what can be done on it (security S051).
 */
@Controller('password/forgotten')
export class ForgottenPasswordController {
  constructor(
    private readonly requestReset: RequestPasswordReset,
    private readonly handles: ResetHandles,
    private readonly forms: FlowForms,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.find(request, readQuery(request).get('flow'));
    this.showForm(request, reply, flow, { loginName: flow?.request?.loginHint });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const flow = await this.forms.find(request, form.get('flow'));
    if (!this.csrf.holds(request, form.get('csrf'), STEP, flow?.id ?? '')) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const loginName = form.get('loginName');
    if (loginName === undefined) {
      return this.showForm(request, reply, flow, { problem: 'login-name-missing' });
    }
    const wait = await this.limits.countMailRequest(request);
    if (wait !== undefined) {
      void reply.header('retry-after', String(wait));
      return this.showForm(request, reply, flow, { loginName, problem: 'too-many-attempts' });
    }
    const before = form.get('request');
    const opened = await this.handles.open(before);
    // too soon is known from the handle, not from the user: it reads the same for a name that means nobody
    if (before !== undefined && opened !== undefined && opened.ageMs < RESEND_COOLDOWN_MS) {
      const sent = { loginName, handle: before, ageMs: opened.ageMs, again: false };
      return this.showSent(request, reply, flow, sent);
    }
    const handle = await this.requestReset.execute({
      loginName,
      flowId: flow?.id,
      // a sign-in that is over still tells where it was
      place: placeOf(flow ?? (await this.forms.findOver(request, form.get('flow')))),
    });
    this.showSent(request, reply, flow, { loginName, handle, ageMs: 0, again: opened !== undefined });
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow | undefined,
    view: Pick<ForgottenPasswordPage, 'loginName' | 'problem'>,
  ): void {
    const { problem } = view;
    this.pages.send(
      request,
      reply,
      (page) =>
        renderForgottenPasswordPage({
          ...page,
          ...view,
          form: this.form(flow),
          signInUrl: inFlow('/login', flow),
        }),
      optionsOf(flow, problem === undefined ? 200 : problem === 'too-many-attempts' ? 429 : 400),
    );
  }

  private showSent(request: FastifyRequest, reply: FastifyReply, flow: Flow | undefined, sent: Sent): void {
    const { loginName, handle, ageMs, again } = sent;
    const form = { ...this.form(flow), hidden: { loginName, request: handle } };
    this.pages.send(
      request,
      reply,
      (page) =>
        renderResetSentPage({
          ...page,
          loginName,
          enterCodeUrl: inFlow('/password/reset', flow, { request: handle }),
          resend: { form, availableInSeconds: (RESEND_COOLDOWN_MS - ageMs) / 1000, wasSent: again },
          otherNameUrl: inFlow(PATH, flow),
        }),
      optionsOf(flow, 200),
    );
  }

  private form(flow: Flow | undefined): FormView {
    return { action: PATH, csrf: this.csrf.token(STEP, flow?.id ?? ''), flow: flow?.id };
  }
}

function optionsOf(flow: Flow | undefined, status: number): PageOptions {
  return flow === undefined ? { status } : flowPageOptions(flow, status);
}
