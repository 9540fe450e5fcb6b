import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SetInitialPassword } from '../../domain/users/verification/set-initial-password.js';
import { renderPasswordSetPage } from '../../pages/done-pages.js';
import type { SetPasswordProblem } from '../../pages/problems.js';
import { renderSetPasswordPage, type PasswordRules } from '../../pages/set-password-page.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { Pages } from '../shared/pages/pages.js';
import { OrganizationRules } from '../shared/pages/password-rules.js';
import { statusOf, unlessBusy } from '../shared/server/busy.js';
import { codeOfLink, MailLinks, type OpenedLink } from './mail-links.js';
import { missingCodeOrPassword, refusedPassword } from './new-password-form.js';

interface FormState {
  readonly code?: string | undefined;
  readonly problems?: readonly SetPasswordProblem[];
  readonly unmet?: readonly (keyof PasswordRules)[];
}

/** The page behind the link of the initialisation mail. */
@Controller('password/init')
export class InitialPasswordController {
  constructor(
    private readonly links: MailLinks,
    private readonly setInitialPassword: SetInitialPassword,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly rules: OrganizationRules,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.open(request, reply, 'initialise');
    if (opened === undefined) return;
    await this.showForm(request, reply, opened, { code: codeOfLink(opened.parameters) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.submitted(request, reply, 'initialise');
    if (opened === undefined) return;
    const { id: linkId, link, parameters: form } = opened;
    const problems = missingCodeOrPassword(form);
    if (problems.length > 0) {
      return await this.showForm(request, reply, opened, { code: form.get('code'), problems });
    }
    const code = form.require('code');
    const password = form.require('newPassword');
    const { orgId } = link;
    const set = await unlessBusy(reply, () =>
      this.links.tryCode(request, reply, async () => {
        const typed = { linkId, orgId, code, password, source: request.ip };
        const result = await this.setInitialPassword.execute(typed);
        return { result, failed: result.kind === 'wrong-code' };
      }),
    );
    if (set === 'too-busy') {
      return await this.showForm(request, reply, opened, { code, problems: [set] });
    }
    const { result } = set;
    if (result === undefined) return;
    switch (result.kind) {
      case 'done':
        return void this.pages.send(
          request,
          reply,
          (page) => renderPasswordSetPage({ ...page, verifiedEmail: result.email, wayOn: { url: '/login' } }),
          { organization: link.organization },
        );
      case 'wrong-code':
        return await this.showForm(request, reply, opened, { code, problems: ['code-not-valid'] });
      case 'password-too-weak':
      case 'password-too-long':
        return await this.showForm(request, reply, opened, { code, ...refusedPassword(result) });
      case 'link-over':
      case 'email-taken':
        return void this.errorPages.sendLinkOver(request, reply);
    }
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, link }: OpenedLink,
    state: FormState,
  ): Promise<void> {
    const rules = await this.rules.find(link.orgId);
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSetPasswordPage({
          ...page,
          ...state,
          form: this.links.form('initialise', '/password/init', id),
          loginName: link.loginName,
          displayName: link.displayName,
          rules,
        }),
      { status: statusOf(state.problems), organization: link.organization },
    );
  }
}
