import { Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import { RenewSession } from '../../domain/sign-in/renew-session.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessBusy } from '../shared/server/busy.js';
import { AccountController } from './account-controller.js';
import { CONFIRM_PATH, ConfirmPages } from './confirm-pages.js';

/** The fresh proof by the reader's password. */
@AccountController(CONFIRM_PATH)
export class ConfirmByPasswordController {
  constructor(
    private readonly pages: ConfirmPages,
    private readonly renewSession: RenewSession,
    private readonly limits: AddressLimits,
  ) {}

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.pages.submitted(request, reply);
    if (submitted === undefined) return;
    const { visit, form, next } = submitted;
    const password = form.get('password');
    if (password === undefined) return await this.pages.show(request, reply, visit, next, 'current-missing');
    const { session, secret } = visit;
    const browser = { session, secret, device: describeBrowser(request.headers['user-agent']) };
    const tried = await unlessBusy(reply, () =>
      this.limits.tryProof(request, async () => {
        const result = await this.renewSession.byPassword(browser, password, request.ip);
        return { result, failed: result === 'wrong' };
      }),
    );
    if (tried === 'too-busy') return await this.pages.show(request, reply, visit, next, tried);
    await this.pages.answer(request, reply, submitted, tried.result, 'current-wrong');
  }
}
