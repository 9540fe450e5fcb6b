import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asksForPasskey, isFactorDue } from '../../domain/authorize/flow/step-up.js';
import { SecondPasskey } from '../../domain/passkeys/show/second-passkey.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { FlowForms } from './flow-forms.js';

/** What the script of the second-factor page has the browser sign. */
@Controller('login/second-factor/passkey/challenge')
export class SecondFactorPasskeyController {
  constructor(
    private readonly forms: FlowForms,
    private readonly secondPasskey: SecondPasskey,
    private readonly limits: AddressLimits,
  ) {}

  @Post()
  async challenge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'second-factor');
    if (submitted === undefined) return;
    await this.limits.admitChallenge(request);
    const { flow } = submitted;
    const { session } = flow;
    const due = session !== undefined && isFactorDue(flow, session) ? session : undefined;
    const options =
      due &&
      (await this.secondPasskey.ask({ flow: flow.id, session: due, mustVerify: asksForPasskey(flow) }));
    // the step is over in another tab, or the passkeys are gone: a reload shows what there is now
    if (options === undefined) void reply.code(409);
    void reply.header('cache-control', 'no-store').send(options ?? {});
  }
}
