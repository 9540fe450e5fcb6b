import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { RESEND_COOLDOWN_MS } from '../../domain/users/verification/verification-codes.store.js';
import {
  renderForgottenPasswordPage,
  renderResetSentPage,
  type ForgottenPasswordPage,
} from '../../pages/forgotten-password-pages.js';
import type { FormView } from '../../pages/form-parts.js';
import { Csrf } from '../shared/pages/csrf.js';
import { flowPageOptions } from '../shared/pages/flow-replies.js';
import { Pages, type PageOptions } from '../shared/pages/pages.js';
import { inFlow } from './flow-pages.js';

const STEP = 'forgotten-password';
const PATH = '/password/forgotten';

interface Sent {
  readonly loginName: string;
  readonly handle: string;
  readonly ageMs: number;
  readonly again: boolean;
}

/** The page that takes a name, and the one that says where a code would be: within a sign-in or without one. */
@Injectable()
export class ForgottenPasswordForm {
  constructor(
    private readonly csrf: Csrf,
    private readonly pages: Pages,
  ) {}

  /** Whether what was submitted is of these pages. */
  holds(request: FastifyRequest, flow: Flow | undefined, token: string | undefined): boolean {
    return this.csrf.holds(request, token, STEP, flow?.id ?? '');
  }

  show(
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

  showSent(request: FastifyRequest, reply: FastifyReply, flow: Flow | undefined, sent: Sent): void {
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
