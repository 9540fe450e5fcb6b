import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import type { Session } from '../../domain/sessions/session.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderChangePasswordPage } from '../../pages/change-password-page.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import type { RefusedChange } from '../shared/pages/password-change-problems.js';
import { OrganizationRules } from '../shared/pages/password-rules.js';
import { statusOf } from '../shared/server/busy.js';
import { FlowForms } from './flow-forms.js';

/** The page on which somebody replaces a password that they may not keep. */
@Injectable()
export class ChangePasswordForm {
  constructor(
    private readonly tokens: TokensStore,
    private readonly rules: OrganizationRules,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
  ) {}

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    refusal?: RefusedChange,
  ): Promise<void> {
    const subject = await this.tokens.findSubject(session.userId);
    if (subject === undefined) return this.replies.sendOver(request, reply, flow);
    const rules = await this.rules.find(session.orgId);
    this.pages.send(
      request,
      reply,
      (page) =>
        renderChangePasswordPage({
          ...page,
          ...refusal,
          form: this.forms.view(flow, 'change-password', '/login/change-password'),
          reason: 'required',
          loginName: subject.loginName,
          displayName: subject.claims.kind === 'human' ? subject.claims.displayName : undefined,
          rules,
          otherAccountUrl: flowPath('sign-in', flow.id),
        }),
      flowPageOptions(flow, statusOf(refusal?.problems)),
    );
  }
}
