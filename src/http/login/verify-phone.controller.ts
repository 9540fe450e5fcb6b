import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { VerifyPhone } from '../../domain/users/verification/verify-phone.js';
import { renderPhoneVerifiedPage, renderVerifyPhonePage } from '../../pages/verify-phone-page.js';
import { VerifyByLink, type Verifying } from './verify-by-link.js';

/** The page behind the link of the SMS that verifies a number. */
@Controller('verify/phone')
export class VerifyPhoneController {
  private readonly verifying: Verifying;

  constructor(
    private readonly byLink: VerifyByLink,
    verifyPhone: VerifyPhone,
  ) {
    this.verifying = {
      purpose: 'verify_phone',
      path: '/verify/phone',
      verify: (linkId, code) => verifyPhone.execute(linkId, code),
      render: (page, view) => renderVerifyPhonePage({ ...page, ...view }),
      renderDone: (page, number) => renderPhoneVerifiedPage({ ...page, number }),
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
