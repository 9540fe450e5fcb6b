import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { VerifyEmail } from '../../domain/users/verification/verify-email.js';
import { renderEmailVerifiedPage } from '../../pages/done-pages.js';
import type { VerifyEmailProblem } from '../../pages/problems.js';
import { renderVerifyEmailPage } from '../../pages/verify-email-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { ErrorPages } from '../shared/error-pages.js';
import { Pages } from '../shared/pages.js';
import { codeOfLink, MailLinks, type OpenedLink } from './mail-links.js';

/** The page behind the link of the verification mail; like every such page it waits for the button. */
@Controller('verify/email')
export class VerifyEmailController {
  constructor(
    private readonly links: MailLinks,
    private readonly verifyEmail: VerifyEmail,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.open(request, reply, 'verify_email');
    if (opened === undefined) return;
    this.showForm(request, reply, opened, codeOfLink(opened.parameters));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.submitted(request, reply, 'verify_email');
    if (opened === undefined) return;
    const { id, link, parameters: form } = opened;
    const code = form.get('code');
    if (code === undefined) return this.showForm(request, reply, opened, undefined, 'code-missing');
    const result = await this.verifyEmail.execute(id, code);
    if (result.kind === 'done') {
      return void this.pages.send(
        request,
        reply,
        (page) => renderEmailVerifiedPage({ ...page, email: link.target, wayOn: { url: '/login' } }),
        { organization: link.organization },
      );
    }
    if (result.kind !== 'wrong-code') return void this.errorPages.sendLinkOver(request, reply);
    await this.limits.countSignInFailure(request);
    this.showForm(request, reply, opened, code, 'code-not-valid');
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, link }: OpenedLink,
    code: string | undefined,
    problem?: VerifyEmailProblem,
  ): void {
    this.pages.send(
      request,
      reply,
      (page) =>
        renderVerifyEmailPage({
          ...page,
          form: this.links.form('verify_email', '/verify/email', id),
          loginName: link.loginName,
          sentTo: link.target,
          code,
          problem,
        }),
      { status: problem === undefined ? 200 : 400, organization: link.organization },
    );
  }
}
