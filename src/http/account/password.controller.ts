import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangePassword } from '../../domain/accounts/change-password.js';
import { HashingBill } from '../../domain/passwords/hashing/hashing-bill.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import { RenewSession } from '../../domain/sign-in/renew-session.js';
import {
  missingInChange,
  refusedChange,
  type RefusedChange,
} from '../shared/pages/password-change-problems.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessBusy } from '../shared/server/busy.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt } from './notices.js';
import { PASSWORD_PATH, PASSWORD_STEP, PasswordPage } from './password-page.js';

type ChangeResult =
  | ({ readonly kind: 'refused' } & RefusedChange)
  /** Changed by somebody else meanwhile. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'done'; readonly secret: string };

/**
 * A voluntary change of the password. The present one is required, which is a fresh authentication for a user without
 * a second factor. All other access ends, and this browser continues with a new session.
 */
@AccountController(PASSWORD_PATH)
export class PasswordController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly page: PasswordPage,
    private readonly changePassword: ChangePassword,
    private readonly renewSession: RenewSession,
    private readonly limits: AddressLimits,
    private readonly ssoCookie: SsoCookie,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined || !(await this.page.mayChange(request, reply, visit))) return;
    await this.page.show(request, reply, visit);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, PASSWORD_STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    if (!(await this.page.mayChange(request, reply, visit))) return;
    const current = form.get('password');
    const next = form.get('newPassword');
    const problems = missingInChange(form);
    if (current === undefined || next === undefined || problems.length > 0) {
      return await this.page.show(request, reply, visit, { problems });
    }
    const tried = await unlessBusy(reply, () =>
      this.limits.tryProof(request, async () => {
        const result = await this.change(request, visit, current, next);
        return { result, failed: result.kind === 'refused' && result.problems.includes('current-wrong') };
      }),
    );
    if (tried === 'too-busy') return await this.page.show(request, reply, visit, { problems: [tried] });
    const { result: attempt } = tried;
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return await this.page.show(request, reply, visit, { problems: ['too-many-attempts'] });
    }
    const { result } = attempt;
    if (result.kind === 'refused') return await this.page.show(request, reply, visit, result);
    if (result.kind === 'gone') return void redirectTo(reply, PASSWORD_PATH, 303);
    this.ssoCookie.write(reply, result.secret);
    void redirectTo(reply, doneAt('/account/security', 'password'), 303);
  }

  private async change(
    request: FastifyRequest,
    { session, secret }: AccountVisit,
    current: string,
    next: string,
  ): Promise<ChangeResult> {
    const { orgId, userId } = session;
    const bill = HashingBill.page(orgId, request.ip);
    const change = await this.changePassword.prepare({ orgId, userId, current, next, bill });
    if (change.kind !== 'ready') return { kind: 'refused', ...refusedChange(change) };
    const device = describeBrowser(request.headers['user-agent']);
    const agent = await this.renewSession.after({ session, secret, device }, change.apply);
    return agent === 'gone' ? { kind: 'gone' } : { kind: 'done', secret: agent.secret };
  }
}
