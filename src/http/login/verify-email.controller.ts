import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { VerifyEmail } from '../../domain/users/verification/verify-email.js';
import { renderEmailVerifiedPage } from '../../pages/done-pages.js';
import { renderVerifyEmailPage } from '../../pages/verify-email-page.js';
import { VerifyByLink, type Verifying } from './verify-by-link.js';

/** The page behind the link of the verification mail. */
@Controller('verify/email')
export class VerifyEmailController {
  private readonly verifying: Verifying;

  constructor(
    private readonly byLink: VerifyByLink,
    verifyEmail: VerifyEmail,
  ) {
    this.verifying = {
      purpose: 'verify_email',
      path: '/verify/email',
      verify: (linkId, code) => verifyEmail.execute(linkId, code),
      render: (page, view) => renderVerifyEmailPage({ ...page, ...view }),
      renderDone: (page, email) => renderEmailVerifiedPage({ ...page, email, wayOn: { url: '/login' } }),
    };
  }

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.byLink.show(request, reply, this.verifying);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.byLink.submit(request, reply, this.verifying);
  }
}
