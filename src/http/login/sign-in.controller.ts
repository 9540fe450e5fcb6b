import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EnterByPassword } from '../../domain/authorize/flow/enter-by-password.js';
import type { SignInProblem } from '../../pages/problems.js';
import { readQuery } from '../shared/oauth-form.js';
import { FlowReplies, ownDestination } from '../shared/pages/flow-replies.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessBusy } from '../shared/server/busy.js';
import { FlowForms } from './flow-forms.js';
import { OwnFlows } from './own-flows.js';
import { SignInForm } from './sign-in-form.js';

/** Why the browser is back on the page, as the passkey's form sends it here. */
const PASSKEY_PROBLEMS: ReadonlyMap<string, SignInProblem> = new Map([
  ['refused', 'passkey-refused'],
  ['wait', 'too-many-attempts'],
]);

/** The same of a provider. */
const EXTERNAL_PROBLEMS: ReadonlyMap<string, SignInProblem> = new Map(
  (['idp-refused', 'idp-unavailable', 'idp-no-account', 'too-many-attempts'] as const).map((problem) => [
    problem,
    problem,
  ]),
);

/** The sign-in page: shows the form of a running flow, accepts it, and continues the flow. */
@Controller('login')
export class SignInController {
  constructor(
    private readonly enterByPassword: EnterByPassword,
    private readonly ownFlows: OwnFlows,
    private readonly forms: FlowForms,
    private readonly page: SignInForm,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    if (query.get('flow') === undefined) {
      const destination = ownDestination(query.get('destination'));
      return await this.ownFlows.begin(request, reply, 'sign-in', destination);
    }
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const problem =
      PASSKEY_PROBLEMS.get(query.get('passkey') ?? '') ?? EXTERNAL_PROBLEMS.get(query.get('idp') ?? '');
    await this.page.open(request, reply, flow, problem);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'sign-in');
    if (submitted === undefined) return;
    const { form, flow, secret } = submitted;
    const loginName = form.get('loginName');
    const password = form.get('password');
    if (loginName === undefined) {
      return await this.page.show(request, reply, flow, { problem: 'login-name-missing' });
    }
    if (password === undefined) return await this.page.askPassword(request, reply, flow, loginName);
    const credentials = { loginName, password, source: request.ip };
    const tried = await unlessBusy(reply, () =>
      this.limits.tryProof(request, async () => {
        const result = await this.enterByPassword.execute(flow, secret, credentials);
        return { result, failed: result.kind === 'refused' };
      }),
    );
    if (tried === 'too-busy') {
      return await this.page.show(request, reply, flow, { loginName, problem: tried });
    }
    const { result: attempt } = tried;
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return await this.page.show(request, reply, flow, { loginName, problem: 'too-many-attempts' });
    }
    const { result } = attempt;
    if (result.kind === 'refused') {
      const problem = form.has('again') ? 'wrong-again' : 'wrong-credentials';
      return await this.page.show(request, reply, flow, { loginName, problem });
    }
    await this.replies.send(request, reply, result, flow);
  }
}
