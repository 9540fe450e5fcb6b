import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { BeginFlow } from '../../domain/authorize/begin-flow.js';
import { BeginExternalSignIn } from '../../domain/external-sign-in/begin-external-sign-in.js';
import { FactorsStore, heldKinds } from '../../domain/factors/factors.store.js';
import { UserIdentitiesStore } from '../../domain/identity-providers/user-identities.store.js';
import { PasswordsStore } from '../../domain/passwords/passwords.store.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { RenewSession } from '../../domain/sign-in/renew-session.js';
import { renderAccountConfirmPage } from '../../pages/account-confirm-page.js';
import type { ConfirmProblem } from '../../pages/problems.js';
import { renderSendOnPage } from '../../pages/send-on-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessBusy } from '../shared/busy.js';
import { addressesAt } from '../shared/external-callback.js';
import { FlowReplies } from '../shared/flow-replies.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/redirect.js';
import { SsoCookie } from '../shared/sso-cookie.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { accountPage, WantedPage } from './wanted-page.js';

const STEP = 'confirm';
const PATH = '/account/confirm';
const SIGN_IN = `${PATH}/sign-in`;

/** The fresh proof that pages ask for which change by what one signs in (`AccountVisits.openFresh`). */
@AccountController(PATH)
export class ConfirmController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly renewSession: RenewSession,
    private readonly limits: AddressLimits,
    private readonly ssoCookie: SsoCookie,
    private readonly factors: FactorsStore,
    private readonly passwords: PasswordsStore,
    private readonly identities: UserIdentitiesStore,
    private readonly begin: BeginExternalSignIn,
    private readonly beginFlow: BeginFlow,
    private readonly replies: FlowReplies,
    private readonly wanted: WantedPage,
    private readonly config: Config,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const query = readQuery(request);
    const next = query.get('next') ?? this.wanted.take(request, reply);
    if (await this.hasFactor(visit)) return await this.signIn(request, reply, visit, next);
    const problem = query.get('problem') === 'idp-refused' ? 'idp-refused' : undefined;
    await this.showForm(request, reply, visit, next, problem);
  }

  /** For whoever would rather sign in than show one thing. */
  @Get('sign-in')
  async anew(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    await this.signIn(request, reply, visit, readQuery(request).get('next'));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const next = form.get('next');
    if (await this.hasFactor(visit)) return await this.signIn(request, reply, visit, next);
    const password = form.get('password');
    if (password === undefined) return await this.showForm(request, reply, visit, next, 'current-missing');
    const { session, secret } = visit;
    const browser = { session, secret, device: describeBrowser(request.headers['user-agent']) };
    const tried = await unlessBusy(reply, () =>
      this.limits.tryPassword(request, async () => {
        const result = await this.renewSession.byPassword(browser, password, request.ip);
        return { result, failed: result === 'wrong' };
      }),
    );
    if (tried === 'too-busy') return await this.showForm(request, reply, visit, next, tried);
    const { result: attempt } = tried;
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return await this.showForm(request, reply, visit, next, 'too-many-attempts');
    }
    const { result } = attempt;
    if (result === 'wrong') return await this.showForm(request, reply, visit, next, 'current-wrong');
    // another tab was quicker, and its proof is as good: the page that follows says what is still missing
    if (result !== 'gone') this.ssoCookie.write(reply, result.secret);
    void redirectTo(reply, accountPage(next), 303);
  }

  /** To a provider that knows the reader, and back with the proof. */
  @Post('identity')
  async leave(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const next = form.get('next');
    if (await this.hasFactor(visit)) return await this.signIn(request, reply, visit, next);
    const id = (form.get('target') ?? '') as IdentityProviderId;
    await this.limits.admitChallenge(request);
    const addresses = addressesAt(this.config.app.issuer.url, id);
    const begun = await this.begin.toConfirm(visit.session, id, addresses);
    if (begun.kind !== 'begun') return await this.signIn(request, reply, visit, next);
    this.wanted.remember(reply, accountPage(next));
    this.visits.send(request, reply, visit, (page) =>
      renderSendOnPage({ ...page, url: begun.url, provider: begun.provider }),
    );
  }

  /** The password alone renews no session of somebody who shows more than that: the sign-in asks for all of it. */
  private async hasFactor({ session }: AccountVisit): Promise<boolean> {
    return heldKinds(await this.factors.findUsable(session.userId)).length > 0;
  }

  /** To the sign-in of the reader's own organization, whose providers know them. */
  private async signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { session, secret }: AccountVisit,
    next: string | undefined,
  ): Promise<void> {
    this.wanted.remember(reply, accountPage(next));
    const admit = (): Promise<void> => this.limits.admitFlow(request);
    const begun = await this.beginFlow.beginOwn('account', secret, admit, session.orgId);
    this.replies.sendToPage(request, reply, 'sign-in', begun);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    next: string | undefined,
    problem?: ConfirmProblem | 'idp-refused',
  ): Promise<void> {
    const page = accountPage(next);
    const query = new URLSearchParams({ next: page }).toString();
    const { loginName, profile } = visit.user;
    const { orgId, userId } = visit.session;
    const [password, identities] = await Promise.all([
      this.passwords.findByUser(userId),
      this.identities.listOfUser(orgId, userId),
    ]);
    const providers = new Map(identities.map(({ providerId, providerName }) => [providerId, providerName]));
    this.visits.send(
      request,
      reply,
      visit,
      (shell) =>
        renderAccountConfirmPage({
          ...shell,
          problem,
          form: password && this.visits.form(visit, STEP, PATH, { next: page }),
          providers: [...providers].map(([target, name]) => ({
            name,
            form: this.visits.form(visit, STEP, `${PATH}/identity`, { next: page, target }),
          })),
          loginName,
          displayName: profile.displayName,
          signInUrl: `${SIGN_IN}?${query}`,
          address: `${PATH}?${query}`,
        }),
      statusOf(problem === undefined || problem === 'idp-refused' ? undefined : [problem]),
    );
  }
}
