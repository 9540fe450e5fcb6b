import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FindVerification } from '../../domain/users/verification/find-verification.js';
import type { VerificationLink } from '../../domain/users/verification/verification-codes.store.js';
import { VerifyEmail } from '../../domain/users/verify-email.js';
import { AddressLimits } from '../shared/address-limits.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { linkId } from './link-id.js';
import { renderEmailVerifiedPage } from './pages/done-pages.js';
import { renderVerifyEmailPage } from './pages/verify-email-page.js';
import type { VerifyEmailProblem } from './texts/texts.js';

/** The page behind the link of the verification mail; like every such page it waits for the button. */
@Controller('verify/email')
export class VerifyEmailController {
  constructor(
    private readonly findVerification: FindVerification,
    private readonly verifyEmail: VerifyEmail,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    const id = linkId(query);
    const link = await this.findVerification.find(id, 'verify_email');
    if (link?.state !== 'live') return void this.errorPages.sendLinkOver(request, reply);
    this.showForm(request, reply, id, link, query.get('code')?.slice(0, 20));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const id = linkId(form);
    if (!this.csrf.holds(request, form.get('csrf'), 'verify-email', id)) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const link = await this.findVerification.find(id, 'verify_email');
    if (link?.state !== 'live') return void this.errorPages.sendLinkOver(request, reply);
    const wait = await this.limits.checkSignIn(request);
    if (wait !== undefined) return void this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    const code = form.get('code');
    if (code === undefined) return this.showForm(request, reply, id, link, undefined, 'code-missing');
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
    this.showForm(request, reply, id, link, code, 'code-not-valid');
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    link: VerificationLink,
    code: string | undefined,
    problem?: VerifyEmailProblem,
  ): void {
    const csrf = this.csrf.token('verify-email', id);
    this.pages.send(
      request,
      reply,
      (page) =>
        renderVerifyEmailPage({
          ...page,
          form: { action: '/verify/email', csrf, hidden: { id } },
          sentTo: link.target,
          code,
          problem,
        }),
      { status: problem === undefined ? 200 : 400, organization: link.organization },
    );
  }
}
