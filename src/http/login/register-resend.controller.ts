import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FindRegistration } from '../../domain/registration/find-registration.js';
import { ResendRegistration } from '../../domain/registration/resend-registration.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { RegistrationPages } from './registration-pages.js';

/** Another code for a registration. What comes too soon sends nothing, and the page shows when to try again. */
@Controller('register/verify/resend')
export class RegisterResendController {
  constructor(
    private readonly registrationPages: RegistrationPages,
    private readonly resendRegistration: ResendRegistration,
    private readonly findRegistration: FindRegistration,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Post()
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.registrationPages.submitted(request, reply);
    if (submitted === undefined) return;
    const wait = await this.limits.countMailRequest(request);
    if (wait !== undefined) {
      return void this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    }
    const { id } = submitted.pending;
    const wasSent = await this.resendRegistration.execute(id);
    const pending = await this.findRegistration.find(id);
    if (pending === undefined || pending === 'off' || !pending.live) {
      return void this.errorPages.sendLinkOver(request, reply);
    }
    this.registrationPages.showForm(request, reply, { ...submitted, pending }, { wasSent });
  }
}
