import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOfRequired } from '../../domain/authorize/answer/admit-user.js';
import { isEnoughFor } from '../../domain/authorize/flow/choose-account.js';
import { placeOf, type Flow } from '../../domain/authorize/flow/find-flow.js';
import type { Session } from '../../domain/sessions/session.js';
import { ResolveLoginName } from '../../domain/sign-in/resolve-login-name.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderChooseAccountPage, type ChoosableAccount } from '../../pages/choose-account-page.js';
import { flowPageOptions, flowPath } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { FlowForms } from './flow-forms.js';

/** The page that lists the accounts of a browser. */
@Injectable()
export class AccountList {
  constructor(
    private readonly tokens: TokensStore,
    private readonly resolveLoginName: ResolveLoginName,
    private readonly forms: FlowForms,
    private readonly pages: Pages,
  ) {}

  async show(request: FastifyRequest, reply: FastifyReply, flow: Flow): Promise<void> {
    const accounts = await this.accountsOf(flow);
    if (accounts.length === 0) return void redirectTo(reply, flowPath('sign-in', flow.id), 302);
    this.pages.send(
      request,
      reply,
      (page) =>
        renderChooseAccountPage({
          ...page,
          form: this.forms.view(flow, 'choose', '/login/accounts'),
          applicationName: flow.application?.name,
          accounts,
          canRemove: true,
        }),
      flowPageOptions(flow),
    );
  }

  async loginNameOf(session: Session): Promise<string | undefined> {
    return (await this.tokens.findSubject(session.userId))?.loginName;
  }

  /** Of the organization that the request names, if it names one. Whom the application names by login_hint comes first, the rest as they were used last. */
  private async accountsOf(flow: Flow): Promise<readonly ChoosableAccount[]> {
    const { loginHint, hintedUserId } = flow.request ?? {};
    const named =
      hintedUserId ??
      (loginHint === undefined
        ? undefined
        : (await this.resolveLoginName.resolve(loginHint, placeOf(flow)))?.userId);
    const sessions = [...flow.agent.sessions, ...flow.agent.lapsed].filter(({ orgId }) =>
      isOfRequired(flow.required, orgId),
    );
    const ordered = [
      ...sessions.filter(({ userId }) => userId === named),
      ...sessions.filter(({ userId }) => userId !== named),
    ];
    const shown = await Promise.all(ordered.map((session) => this.accountOf(flow, session)));
    return shown.flatMap((account) => account ?? []);
  }

  private async accountOf(flow: Flow, session: Session): Promise<ChoosableAccount | undefined> {
    const subject = await this.tokens.findSubject(session.userId);
    if (subject === undefined) return undefined;
    return {
      id: session.id,
      loginName: subject.loginName,
      ...(subject.claims.kind === 'human' ? { displayName: subject.claims.displayName } : {}),
      isSignedIn: flow.agent.sessions.includes(session) && isEnoughFor(flow, session),
    };
  }
}
