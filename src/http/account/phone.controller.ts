import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ResendPhoneCode } from '../../domain/accounts/resend-phone-code.js';
import { VerifyOwnPhone } from '../../domain/accounts/verify-own-phone.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { renderAccountPhonePage, type PhonePageState } from '../../pages/account-phone-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { statusOf } from '../shared/server/busy.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { CodeForms } from './code-forms.js';
import { noticeOf } from './notices.js';
import { ownChange } from './own-change.js';
import { PhoneCodes } from './phone-codes.js';

const STEP = 'phone';
const PATH = '/account/phone';
const PAGE = { step: STEP, path: PATH };
const CHANGE = '/account/phone/change';
/** Why no SMS is sent: `domain/notifications/abuse/sms-refused.ts`. What is no reason for words is for the page to show. */
const UNSENT = {
  'SMS-Co5xt': 'refused',
  'SMS-Nt4pe': 'refused',
  'SMS-Sp9end': 'tooManySms',
  'SMS-Bl3ck': 'tooManySms',
  'SMS-Ca4ps': 'tooManySms',
  'COMMAND-8Kd2s': 'too-soon',
  'COMMAND-2M9sf': 'verified',
  'SMS-Np7sk': 'no-provider',
} as const;

/** A number that waits for its code. */
@AccountController(PATH)
export class PhoneController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly resendCode: ResendPhoneCode,
    private readonly verifyPhone: VerifyOwnPhone,
    private readonly codes: PhoneCodes,
    private readonly codeForms: CodeForms,
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
        'CODE-Pr0vd': 'code-unchecked',
      },
      prepare: (visit, code) => this.verifyPhone.prepare(ownChange(visit), code),
      done: 'phone',
      show: (visit, state) => this.showCode(request, reply, visit, state),
    });
  }

  /** Under all limits on SMS; what comes too soon sends nothing, and the page shows when to try again. */
  @Post('resend')
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.codeForms.sendAgain(request, reply, PAGE, {
      problems: UNSENT,
      prepare: (visit) => this.resendCode.prepare(ownChange(visit), addressGroup(request.ip)),
      refused: async (visit, { problem, retryAfterSeconds }) => {
        if (problem !== 'refused' && problem !== 'tooManySms') return void redirectTo(reply, PATH, 303);
        if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
        await this.showCode(request, reply, visit, { refusal: problem });
      },
    });
  }

  private async showCode(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    state: PhonePageState = {},
  ): Promise<void> {
    const { phone } = visit.user;
    // verified or removed meanwhile, maybe by the link of the SMS
    if (phone === undefined || phone.verified) return void redirectTo(reply, CHANGE, 303);
    const { sendsSms, isSent, availableInSeconds } = await this.codes.stateOf(visit.user.id);
    const form = (path: string) => this.visits.form(visit, STEP, path);
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountPhonePage({
          ...page,
          ...state,
          notice: noticeOf(readQuery(request).get('done'), page.texts),
          form: form(PATH),
          number: phone.number,
          isSent,
          resend: sendsSms ? { form: form(`${PATH}/resend`), availableInSeconds } : undefined,
          changeUrl: CHANGE,
        }),
      { status: state.refusal === 'tooManySms' ? 429 : statusOf(problemsOf(state)) },
    );
  }
}

function problemsOf({ problem, refusal }: PhonePageState): readonly string[] {
  return [problem, refusal].filter((one) => one !== undefined);
}
