import { Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConfirmByMail } from '../../domain/external-sign-in/confirm-by-mail.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessUnchecked } from '../shared/server/busy.js';
import { AccountController } from './account-controller.js';
import { CONFIRM_BY_MAIL, CONFIRM_PATH, ConfirmPages } from './confirm-pages.js';
import { accountPage } from './wanted-page.js';

/** The fresh proof by a code that goes to the reader's mailbox. */
@AccountController(CONFIRM_BY_MAIL)
export class ConfirmByMailController {
  constructor(
    private readonly pages: ConfirmPages,
    private readonly confirm: ConfirmByMail,
    private readonly limits: AddressLimits,
  ) {}

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.pages.submitted(request, reply);
    if (submitted === undefined) return;
    const { visit, form, next } = submitted;
    const code = form.get('code');
    if (code === undefined) return await this.pages.show(request, reply, visit, next, 'code-missing');
    const { session, secret } = visit;
    const browser = { session, secret, device: describeBrowser(request.headers['user-agent']) };
    const checked = await unlessUnchecked(reply, () =>
      this.limits.tryProof(request, async () => {
        const result = await this.confirm.execute(browser, code);
        return { result, failed: result === 'wrong' };
      }),
    );
    if (checked === 'code-unchecked') return await this.pages.show(request, reply, visit, next, checked);
    await this.pages.answer(request, reply, submitted, checked.result, 'code-not-valid');
  }

  /** Under all limits of messages; what comes too soon sends nothing, and the page shows when to try again. */
  @Post('send')
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.pages.submitted(request, reply);
    if (submitted === undefined) return;
    const { visit, next } = submitted;
    const isSent = await this.confirm.send(visit.session, addressGroup(request.ip));
    const query = new URLSearchParams({ next: accountPage(next), sent: isSent ? 'code' : 'none' });
    void redirectTo(reply, `${CONFIRM_PATH}?${query.toString()}`, 303);
  }
}
