import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeEmail } from '../../domain/accounts/change-email.js';
import { VerifyOwnEmail } from '../../domain/accounts/verify-own-email.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { AskToVerifyEmail, RESEND_SECONDS } from '../../domain/users/verification/ask-to-verify-email.js';
import { renderAccountEmailPage, type EmailCodeState } from '../../pages/account-email-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { statusOf } from '../shared/server/busy.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { CodeForms } from './code-forms.js';
import { doneAt, noticeOf } from './notices.js';
import { ownChange } from './own-change.js';

const STEP = 'email';
const PATH = '/account/email';
const PAGE = { step: STEP, path: PATH };

/** An address that waits for its code. Whoever types the code has the mailbox, so no fresh proof is asked for. */
@AccountController(PATH)
export class EmailController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly changeEmail: ChangeEmail,
    private readonly verifyEmail: VerifyOwnEmail,
    private readonly asked: AskToVerifyEmail,
    private readonly codeForms: CodeForms,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit !== undefined) await this.showCode(request, reply, visit);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.codeForms.take(request, reply, PAGE, {
      problems: {
        'CODE-woT0xc': 'code-not-valid',
        'CODE-QvUQ4P': 'code-not-valid',
        'V3-DKcYh': 'email-not-available',
      },
      prepare: (visit, code) => this.verifyEmail.prepare(ownChange(visit), code),
      done: 'email',
      show: (visit, state) => this.showCode(request, reply, visit, state),
    });
  }

  /** What comes too soon sends nothing, and the page shows when to try again: the last code is still good. */
  @Post('resend')
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.codeForms.sendAgain(request, reply, PAGE, {
      problems: { 'COMMAND-8Kd2s': 'too-soon', 'COMMAND-9ds34': 'verified' },
      prepare: (visit) => Promise.resolve((tx) => this.changeEmail.resend(tx, ownChange(visit))),
    });
  }

  /** Gives up the address that waits. */
  @Post('keep')
  async keep(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit } = submitted;
    const { address, verified, pending } = visit.user.email;
    if (pending !== undefined) {
      const own = ownChange(visit);
      await this.unitOfWork.run((tx) => this.changeEmail.executeOwn(tx, own, { address, verified }));
    }
    void redirectTo(reply, doneAt('/account', 'emailKept'), 303);
  }

  private async showCode(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    state: EmailCodeState = {},
  ): Promise<void> {
    const { address, pending } = visit.user.email;
    // verified or given up meanwhile, maybe by the link of the mail on another device
    if (pending === undefined) return void redirectTo(reply, `${PATH}/change`, 303);
    const live = await this.asked.findAsked(visit.session);
    const form = (path: string) => this.visits.form(visit, STEP, path);
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountEmailPage({
          ...page,
          ...state,
          notice: noticeOf(readQuery(request).get('done'), page.texts),
          form: form(PATH),
          present: address,
          waiting: pending,
          isSent: live !== undefined,
          resend: {
            form: form(`${PATH}/resend`),
            availableInSeconds: live === undefined ? 0 : RESEND_SECONDS - live.ageSeconds,
          },
          keep: form(`${PATH}/keep`),
          changeUrl: `${PATH}/change`,
        }),
      { status: statusOf(state.problem && [state.problem]) },
    );
  }
}
