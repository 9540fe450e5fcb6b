import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { PostponeFactor } from '../../domain/authorize/second-factor/postpone-factor.js';
import type { SetUpChoice } from '../../domain/factors/choose-set-up.js';
import type { Session } from '../../domain/sessions/session.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderSetUpFactorPage, type SetUpFactorPage } from '../../pages/set-up-factor-page.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { statusOf } from '../shared/server/busy.js';
import { FlowForms } from './flow-forms.js';
import { SET_UP, SET_UP_PATH, SetUpParts, setUpPathOf } from './set-up-parts.js';

/** The page that a factor is set up on: of the kind that was asked for, else of the strongest there is. */
@Injectable()
export class SetUpFactorForm {
  constructor(
    private readonly parts: SetUpParts,
    private readonly postponeFactor: PostponeFactor,
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
    asked: string | undefined,
    problem?: SetUpFactorPage['problem'],
    known?: SetUpChoice,
  ): Promise<void> {
    const subject = await this.tokens.findSubject(session.userId);
    const found = await this.parts.find(request, flow, session, asked, known);
    if (subject?.claims.kind !== 'human' || found === undefined) {
      return this.replies.sendOver(request, reply, flow);
    }
    const { part, choice } = found;
    const until = await this.postponeFactor.until(session);
    // putting it off changes nothing about the account, and takes no proof
    if (part.kind === 'proof' && until === undefined) {
      return void redirectTo(reply, part.url, request.method === 'POST' ? 303 : 302);
    }
    const view = this.forms.view(flow, SET_UP, SET_UP_PATH);
    const { displayName } = subject.claims;
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSetUpFactorPage({
          ...page,
          problem,
          until,
          part,
          form:
            part.kind === 'nothing' || part.kind === 'proof'
              ? view
              : { ...view, hidden: { kind: part.kind } },
          account: { loginName: subject.loginName, displayName },
          others: choice.kinds
            .filter((other) => other !== part.kind)
            .map((other) => ({ kind: other, url: setUpPathOf(flow, other) })),
          otherAccountUrl: flowPath('sign-in', flow.id),
        }),
      { ...flowPageOptions(flow, statusOf(problem && [problem])), passkeys: part.kind === 'passkey' },
    );
  }
}
