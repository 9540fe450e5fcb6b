import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import type { Session } from '../../domain/sessions/session.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { AskToVerifyEmail, RESEND_SECONDS } from '../../domain/users/verification/ask-to-verify-email.js';
import type { VerifyEmailProblem } from '../../pages/problems.js';
import { renderVerificationNeededPage } from '../../pages/verify-email-page.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { FlowForms } from './flow-forms.js';

interface FormState {
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem;
}

/** The page that takes the code which was sent to an address in the middle of a sign-in. */
@Injectable()
export class VerifyEmailForm {
  constructor(
    private readonly askToVerifyEmail: AskToVerifyEmail,
    private readonly tokens: TokensStore,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
  ) {}

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    state: FormState,
    status = 200,
  ): Promise<void> {
    const subject = await this.tokens.findSubject(session.userId);
    if (subject?.claims.kind !== 'human') return this.replies.sendOver(request, reply, flow);
    const { displayName, email } = subject.claims;
    const asked = await this.askToVerifyEmail.findAsked(session);
    const wasSent = status === 200 && new URLSearchParams(request.url.split('?')[1]).get('sent') === 'again';
    this.pages.send(
      request,
      reply,
      (page) =>
        renderVerificationNeededPage({
          ...page,
          ...state,
          form: this.forms.view(flow, 'verify-email', '/login/verify-email'),
          sentTo: email,
          account: { loginName: subject.loginName, displayName },
          resend: {
            form: this.forms.view(flow, 'verify-email', '/login/verify-email/resend'),
            availableInSeconds: asked === undefined ? 0 : RESEND_SECONDS - asked.ageSeconds,
            wasSent,
          },
          otherAccountUrl: flowPath('sign-in', flow.id),
        }),
      flowPageOptions(flow, status),
    );
  }
}
