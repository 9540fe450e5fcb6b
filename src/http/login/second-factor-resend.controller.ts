import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SendFactorCode } from '../../domain/factors/codes/send-factor-code.js';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { SecondFactorStep } from './second-factor-step.js';
import { isSentKind, kindPath, kindToShow, placeOf } from './second-factor-view.js';

/** Another code by the way that somebody chose. */
@Controller('login/second-factor/resend')
export class SecondFactorResendController {
  constructor(
    private readonly factors: FactorsStore,
    private readonly sendCode: SendFactorCode,
    private readonly step: SecondFactorStep,
  ) {}

  /** Under all limits of messages; what comes too soon sends nothing, and the page shows when to try again. */
  @Post()
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.step.submitted(request, reply);
    if (submitted === undefined) return;
    const { form, flow, session } = submitted;
    const kind = kindToShow(await this.factors.findUsable(session.userId), form.get('kind'));
    const place = placeOf(flow, session);
    const wasSent = isSentKind(kind) && (await this.sendCode.again(place, kind, addressGroup(request.ip)));
    void redirectTo(reply, `${kindPath(flow, kind)}${wasSent ? '&sent=again' : ''}`, 303);
  }
}
