import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangePhone } from '../../domain/accounts/change-phone.js';
import { RemovePhone } from '../../domain/accounts/remove-phone.js';
import { phoneNumberOf } from '../../domain/imports/records/phone-number.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountPhoneChangePage } from '../../pages/account-phone-change-page.js';
import type { PhoneProblem } from '../../pages/problems.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt } from './notices.js';
import { ownChange } from './own-change.js';
import { PhoneCodes } from './phone-codes.js';
import { removeFactor } from './remove-factor.js';

const STEP = 'phone-change';
const PATH = '/account/phone/change';

/** A phone number, another one, or none. Codes go there, so it takes a fresh proof. */
@AccountController(PATH)
export class PhoneChangeController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly changePhone: ChangePhone,
    private readonly removePhone: RemovePhone,
    private readonly codes: PhoneCodes,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit !== undefined) await this.showForm(request, reply, visit, visit.user.phone?.number);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    if (form.get('remove') !== undefined) return await this.remove(reply, visit);
    const typed = form.get('phone')?.trim() ?? '';
    if (typed === '') return await this.showForm(request, reply, visit, typed, 'phone-missing');
    const number = phoneNumberOf(typed);
    if (number === undefined) return await this.showForm(request, reply, visit, typed, 'phone-not-valid');
    const own = ownChange(visit);
    const source = addressGroup(request.ip);
    await this.unitOfWork.run(
      await this.changePhone.prepareReplace(own, { number, verified: false }, source),
    );
    const { phone } = visit.user;
    const isVerified = phone?.verified === true && phone.number === number;
    void redirectTo(reply, isVerified ? '/account' : '/account/phone', 303);
  }

  private async remove(reply: FastifyReply, visit: AccountVisit): Promise<void> {
    if (visit.user.phone === undefined)
      return void redirectTo(reply, doneAt('/account', 'phoneRemoved'), 303);
    const done = await removeFactor('phoneRemoved', () =>
      this.unitOfWork.run((tx) => this.removePhone.execute(tx, ownChange(visit))),
    );
    void redirectTo(reply, doneAt('/account', done), 303);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    phone: string | undefined,
    problem?: PhoneProblem,
  ): Promise<void> {
    const sendsSms = await this.codes.sendsSms();
    const form = (hidden?: Readonly<Record<string, string>>) => this.visits.form(visit, STEP, PATH, hidden);
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountPhoneChangePage({
          ...page,
          form: form(),
          phone,
          problem,
          sendsSms,
          remove: visit.user.phone === undefined ? undefined : form({ remove: 'true' }),
        }),
      { status: problem === undefined ? 200 : 400 },
    );
  }
}
