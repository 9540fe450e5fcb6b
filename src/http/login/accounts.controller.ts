import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOfRequired } from '../../domain/authorize/admit-user.js';
import { ContinueFlow, isEnoughFor } from '../../domain/authorize/continue-flow.js';
import { placeOf, type Flow } from '../../domain/authorize/find-flow.js';
import { EndSessions } from '../../domain/sessions/end-session.js';
import type { Session } from '../../domain/sessions/session.js';
import { ResolveLoginName } from '../../domain/sign-in/resolve-login-name.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderChooseAccountPage, type ChoosableAccount } from '../../pages/choose-account-page.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/flow-replies.js';
import { Pages } from '../shared/pages.js';
import { redirectTo } from '../shared/redirect.js';
import { SsoCookie } from '../shared/sso-cookie.js';
import { StateCookie } from '../shared/state-cookie.js';
import { FlowForms } from './flow-forms.js';

/** The accounts of this browser: one goes on, one leaves the list, or somebody else signs in. */
@Controller('login/accounts')
export class AccountsController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly endSessions: EndSessions,
    private readonly tokens: TokensStore,
    private readonly resolveLoginName: ResolveLoginName,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
    private readonly ssoCookie: SsoCookie,
    private readonly stateCookie: StateCookie,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
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

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'choose');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const removed = form.get('remove');
    if (removed !== undefined) {
      const session = [...flow.agent.sessions, ...flow.agent.lapsed].find(({ id }) => id === removed);
      if (session !== undefined) await this.endSessions.end([session], 'account_removed');
      await this.stateCookie.refresh(reply, this.ssoCookie.read(request));
      return void redirectTo(reply, flowPath('choose', flow.id), 303);
    }
    const account = form.get('account');
    if (account === undefined) return void redirectTo(reply, flowPath('sign-in', flow.id), 303);
    const result = await this.continueFlow.choose(flow, account, (session) => this.loginNameOf(session));
    if (result.kind === 'password-needed' || result.kind === 'refused') {
      return void redirectTo(reply, flowPath('sign-in', flow.id), 303);
    }
    await this.replies.send(request, reply, result, flow);
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

  private async loginNameOf(session: Session): Promise<string | undefined> {
    return (await this.tokens.findSubject(session.userId))?.loginName;
  }
}
