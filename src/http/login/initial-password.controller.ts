import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SetInitialPassword } from '../../domain/users/set-initial-password.js';
import { FindVerification } from '../../domain/users/verification/find-verification.js';
import type { VerificationLink } from '../../domain/users/verification/verification-codes.store.js';
import { AddressLimits } from '../shared/address-limits.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { linkId } from './link-id.js';
import { renderPasswordSetPage } from './pages/done-pages.js';
import { type PasswordRules, renderSetPasswordPage } from './pages/set-password-page.js';
import { PASSWORD_RULES, unmetRules } from './password-rules.js';
import type { SetPasswordProblem } from './texts/texts.js';

interface FormState {
  readonly code?: string | undefined;
  readonly problems?: readonly SetPasswordProblem[];
  readonly unmet?: readonly (keyof PasswordRules)[];
}

/**
 * The page behind the link of the initialisation mail. Opening it changes nothing, because mail scanners open links;
 * the code counts when the form comes back. The code proves the person, so no session is needed.
 */
@Controller('password/init')
export class InitialPasswordController {
  constructor(
    private readonly findVerification: FindVerification,
    private readonly setInitialPassword: SetInitialPassword,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    const id = linkId(query);
    const link = await this.findVerification.find(id, 'initialise');
    if (link?.state !== 'live') return void this.errorPages.sendLinkOver(request, reply);
    this.showForm(request, reply, id, link, { code: query.get('code')?.slice(0, 20) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const id = linkId(form);
    if (!this.csrf.holds(request, form.get('csrf'), 'initial-password', id)) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const link = await this.findVerification.find(id, 'initialise');
    if (link?.state !== 'live') return void this.errorPages.sendLinkOver(request, reply);
    const wait = await this.limits.checkSignIn(request);
    if (wait !== undefined) return void this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    const code = form.get('code');
    const password = form.get('newPassword');
    const problems = missing(code, password, form.get('repeatPassword'));
    if (code === undefined || password === undefined || problems.length > 0) {
      return this.showForm(request, reply, id, link, { code, problems });
    }
    const result = await this.setInitialPassword.execute({ linkId: id, code, password });
    switch (result.kind) {
      case 'done':
        return void this.pages.send(
          request,
          reply,
          (page) => renderPasswordSetPage({ ...page, verifiedEmail: link.target, wayOn: { url: '/login' } }),
          { organization: link.organization },
        );
      case 'wrong-code':
        await this.limits.countSignInFailure(request);
        return this.showForm(request, reply, id, link, { code, problems: ['code-not-valid'] });
      case 'password-too-weak':
        return this.showForm(request, reply, id, link, {
          code,
          problems: ['password-too-weak'],
          unmet: unmetRules(result.unmet),
        });
      case 'password-too-long':
        return this.showForm(request, reply, id, link, { code, problems: ['password-too-long'] });
      case 'link-over':
      case 'email-taken':
        return void this.errorPages.sendLinkOver(request, reply);
    }
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    link: VerificationLink,
    state: FormState,
  ): void {
    const csrf = this.csrf.token('initial-password', id);
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSetPasswordPage({
          ...page,
          ...state,
          form: { action: '/password/init', csrf, hidden: { id } },
          loginName: link.loginName,
          displayName: link.displayName,
          rules: PASSWORD_RULES,
        }),
      { status: state.problems === undefined ? 200 : 400, organization: link.organization },
    );
  }
}

function missing(
  code: string | undefined,
  password: string | undefined,
  repeated: string | undefined,
): readonly SetPasswordProblem[] {
  const problems: SetPasswordProblem[] = [];
  if (code === undefined) problems.push('code-missing');
  if (password === undefined) problems.push('password-missing');
  else if (repeated !== password) problems.push('repeat-differs');
  return problems;
}
