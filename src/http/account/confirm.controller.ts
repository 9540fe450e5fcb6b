import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserIdentitiesStore } from '../../domain/identity-providers/user-identities.store.js';
import { PasswordsStore } from '../../domain/passwords/passwords.store.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import { RenewSession } from '../../domain/sign-in/renew-session.js';
import { renderAccountConfirmPage } from '../../pages/account-confirm-page.js';
import type { ConfirmProblem } from '../../pages/problems.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessBusy } from '../shared/busy.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/redirect.js';
import { SsoCookie } from '../shared/sso-cookie.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { SignInAgain } from './sign-in-again.js';
import { accountPage, WantedPage } from './wanted-page.js';

/** What its forms are for. */
export const CONFIRM_STEP = 'confirm';
const PATH = '/account/confirm';
export const CONFIRM_BY_PROVIDER = `${PATH}/identity`;
const SIGN_IN = `${PATH}/sign-in`;

/** The fresh proof that pages ask for which change by what one signs in (`AccountVisits.openFresh`). */
@AccountController(PATH)
export class ConfirmController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly renewSession: RenewSession,
    private readonly limits: AddressLimits,
    private readonly ssoCookie: SsoCookie,
    private readonly passwords: PasswordsStore,
    private readonly identities: UserIdentitiesStore,
    private readonly signInAgain: SignInAgain,
    private readonly wanted: WantedPage,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const query = readQuery(request);
    const next = query.get('next') ?? this.wanted.take(request, reply);
    if (await this.signInAgain.isNeeded(visit))
      return await this.signInAgain.send(request, reply, visit, next);
    const problem = query.get('problem') === 'idp-refused' ? 'idp-refused' : undefined;
    await this.showForm(request, reply, visit, next, problem);
  }

  /** For whoever would rather sign in than show one thing. */
  @Get('sign-in')
  async anew(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    await this.signInAgain.send(request, reply, visit, readQuery(request).get('next'));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, CONFIRM_STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const next = form.get('next');
    if (await this.signInAgain.isNeeded(visit))
      return await this.signInAgain.send(request, reply, visit, next);
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
          form: password && this.visits.form(visit, CONFIRM_STEP, PATH, { next: page }),
          providers: [...providers].map(([target, name]) => ({
            name,
            form: this.visits.form(visit, CONFIRM_STEP, CONFIRM_BY_PROVIDER, { next: page, target }),
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
