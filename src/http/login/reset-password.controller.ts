import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { ResetPassword, type ResetPasswordResult } from '../../domain/sign-in/reset-password.js';
import type { VerificationLink } from '../../domain/users/verification/verification-codes.store.js';
import { renderPasswordSetPage } from '../../pages/done-pages.js';
import { renderResetPasswordPage, type ResetPasswordPage } from '../../pages/set-password-page.js';
import { Pages, type PageOptions } from '../shared/pages/pages.js';
import { OrganizationRules } from '../shared/pages/password-rules.js';
import { statusOf, unlessBusy } from '../shared/server/busy.js';
import { FlowForms } from './flow-forms.js';
import { inFlow } from './flow-pages.js';
import { codeOfLink, MailLinks } from './mail-links.js';
import { missingCodeOrPassword, refusedPassword } from './new-password-form.js';
import { ResetForms, type OpenedReset } from './reset-forms.js';

/** Which of these it was is not shown by name, so all of them count. */
const WRONG: ReadonlySet<ResetPasswordResult['kind']> = new Set(['wrong-code', 'link-over', 'email-taken']);

/**
 * A new password in place of a forgotten one. Two ways lead here: the link of the mail, and the page that said that a
 * mail is on its way. In the latter case anybody's name may have been typed, so nothing is revealed about the account:
 * a wrong code, one that is used up and one that never was all read the same.
 */
@Controller('password/reset')
export class ResetPasswordController {
  constructor(
    private readonly forms: ResetForms,
    private readonly links: MailLinks,
    private readonly resetPassword: ResetPassword,
    private readonly flowForms: FlowForms,
    private readonly pages: Pages,
    private readonly rules: OrganizationRules,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.forms.open(request, reply);
    if (opened === undefined) return;
    await this.showForm(request, reply, opened, { code: codeOfLink(opened.parameters) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.forms.submitted(request, reply);
    if (opened === undefined) return;
    const { parameters: form, subject } = opened;
    const problems = missingCodeOrPassword(form);
    if (problems.length > 0) {
      return await this.showForm(request, reply, opened, { code: form.get('code'), problems });
    }
    const code = form.require('code');
    // by name only the page's own policy: the errors would reveal a user's organization
    const shownRulesOf = await this.rules.organization(rulesOf(opened));
    const password = form.require('newPassword');
    const reset = await unlessBusy(reply, () =>
      this.links.tryCode(request, reply, async () => {
        const result = await this.resetPassword.execute({
          subject,
          code,
          password,
          source: request.ip,
          shownRulesOf,
        });
        return { result, failed: WRONG.has(result.kind) };
      }),
    );
    if (reset === 'too-busy') {
      return await this.showForm(request, reply, opened, { code, problems: [reset] });
    }
    const { result } = reset;
    if (result === undefined) return;
    switch (result.kind) {
      case 'done':
        return await this.showDone(request, reply, opened, result);
      case 'password-too-weak':
      case 'password-too-long':
        return await this.showForm(request, reply, opened, { code, ...refusedPassword(result) });
      case 'wrong-code':
      case 'link-over':
      case 'email-taken':
        if (result.kind !== 'wrong-code' && opened.link !== undefined) {
          return this.forms.sendOver(request, reply);
        }
        return await this.showForm(request, reply, opened, { code, problems: ['code-not-valid'] });
    }
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    opened: OpenedReset,
    state: Pick<ResetPasswordPage, 'code' | 'problems' | 'unmet'>,
  ): Promise<void> {
    const { form, link, flow } = opened;
    const rules = await this.rules.find(rulesOf(opened));
    this.pages.send(
      request,
      reply,
      (page) => renderResetPasswordPage({ ...page, ...state, form, account: link, rules }),
      { status: statusOf(state.problems), ...brandingOf(link, flow) },
    );
  }

  /** Back into the sign-in that it began in, if this is the browser of that sign-in and it still runs. */
  private async showDone(
    request: FastifyRequest,
    reply: FastifyReply,
    { parameters, link }: OpenedReset,
    { email, flowId }: Extract<ResetPasswordResult, { kind: 'done' }>,
  ): Promise<void> {
    const flow = await this.flowForms.find(request, parameters.get('flow') ?? flowId);
    const wayOn = { url: inFlow('/login', flow), applicationName: flow?.application?.name };
    this.pages.send(
      request,
      reply,
      (page) => renderPasswordSetPage({ ...page, verifiedEmail: email, otherSessionsEnded: true, wayOn }),
      brandingOf(link, flow),
    );
  }
}

function brandingOf(
  link: VerificationLink | undefined,
  flow: Flow | undefined,
): Pick<PageOptions, 'organization' | 'uiLocales'> {
  return {
    organization: link?.organization ?? flow?.organization,
    uiLocales: flow?.request?.uiLocales,
  };
}

/** The organization whose password rules the page shows, if that may be revealed. */
function rulesOf({ link, flow }: OpenedReset): OrgId | undefined {
  return link?.orgId ?? flow?.required?.id ?? flow?.application?.orgId;
}
