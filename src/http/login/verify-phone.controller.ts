import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { VerifyPhone } from '../../domain/users/verification/verify-phone.js';
import type { VerifyEmailProblem } from '../../pages/problems.js';
import { renderPhoneVerifiedPage, renderVerifyPhonePage } from '../../pages/verify-phone-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessUnchecked } from '../shared/busy.js';
import { ErrorPages } from '../shared/error-pages.js';
import { Pages } from '../shared/pages.js';
import { codeOfLink, MailLinks, type OpenedLink } from './mail-links.js';

/** The page behind the link of the SMS that verifies a number; like every such page it waits for the button. */
@Controller('verify/phone')
export class VerifyPhoneController {
  constructor(
    private readonly links: MailLinks,
    private readonly verifyPhone: VerifyPhone,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.open(request, reply, 'verify_phone');
    if (opened === undefined) return;
    this.showForm(request, reply, opened, codeOfLink(opened.parameters));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.submitted(request, reply, 'verify_phone');
    if (opened === undefined) return;
    const { id, link, parameters: form } = opened;
    const code = form.get('code');
    if (code === undefined) return this.showForm(request, reply, opened, undefined, 'code-missing');
    const checked = await unlessUnchecked(reply, () => this.verifyPhone.execute(id, code));
    if (checked === 'code-unchecked') return this.showForm(request, reply, opened, code, checked);
    const { result } = checked;
    if (result.kind === 'done') {
      return void this.pages.send(
        request,
        reply,
        (page) => renderPhoneVerifiedPage({ ...page, number: link.target }),
        { organization: link.organization },
      );
    }
    if (result.kind !== 'wrong-code') return void this.errorPages.sendLinkOver(request, reply, 'sms');
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
        renderVerifyPhonePage({
          ...page,
          form: this.links.form('verify_phone', '/verify/phone', id),
          sentTo: link.target,
          code,
          problem,
        }),
      { status: statusOf(problem && [problem]), organization: link.organization },
    );
  }
}
