import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SetUpFactor } from '../../domain/authorize/second-factor/set-up-factor.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { FlowForms } from './flow-forms.js';

/** What the script of the page that sets up a second factor has the browser make. */
@Controller('login/set-up-factor/passkey/challenge')
export class SetUpFactorPasskeyController {
  constructor(
    private readonly forms: FlowForms,
    private readonly setUpFactor: SetUpFactor,
    private readonly limits: AddressLimits,
  ) {}

  @Post()
  async challenge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'set-up-factor');
    if (submitted === undefined) return;
    await this.limits.admitChallenge(request);
    const { flow } = submitted;
    const due = flow.session?.step === 'set-up-factor' ? flow.session : undefined;
    const options = due && (await this.setUpFactor.beginPasskey(flow, due));
    // the step is over in another tab, or the policy is another one by now: a reload shows what there is
    if (options === undefined) void reply.code(409);
    void reply.header('cache-control', 'no-store').send(options ?? {});
  }
}
