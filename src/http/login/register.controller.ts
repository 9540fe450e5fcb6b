import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { readRegistration } from '../../domain/registration/read-registration.js';
import { Register } from '../../domain/registration/register.js';
import { languages, lookupLocale } from '../../domain/shared/locale.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { readQuery } from '../shared/oauth-form.js';
import { flowPath, isSentToRegister } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessBusy } from '../shared/server/busy.js';
import { FlowForms } from './flow-forms.js';
import { missingNewPassword, refusedPassword } from './new-password-form.js';
import { OwnFlows } from './own-flows.js';
import { RegisterForms, type RegisterFormState, type TypedFields } from './register-forms.js';
import { RegistrationOffer, type Offer } from './registration-offer.js';

/** Somebody new makes an account. It begins in a sign-in, and ends in it once the code of the mail came back. */
@Controller('register')
export class RegisterController {
  constructor(
    private readonly register: Register,
    private readonly offer: RegistrationOffer,
    private readonly ownFlows: OwnFlows,
    private readonly forms: FlowForms,
    private readonly registerForms: RegisterForms,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!readQuery(request).has('flow')) return await this.begin(request, reply);
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const offer = await this.offer.find(flow);
    if (offer === undefined) {
      // the application asked for the form; the sign-in page says that there is none
      if (isSentToRegister(flow)) return void redirectTo(reply, flowPath('sign-in', flow.id), 302);
      return this.registerForms.sendOff(request, reply, flow);
    }
    await this.registerForms.send(request, reply, flow, offer, { email: hintedAddress(flow) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'register');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const offer = await this.offer.find(flow);
    if (offer === undefined) return this.registerForms.sendOff(request, reply, flow);
    const typed = typedFields(form);
    const refused = await this.refusalOf(offer, form, typed);
    if (refused !== undefined)
      return await this.registerForms.send(request, reply, flow, offer, { ...typed, ...refused });
    const wait = await this.limits.countMailRequest(request);
    if (wait !== undefined) {
      void reply.header('retry-after', String(wait));
      return await this.registerForms.send(request, reply, flow, offer, {
        ...typed,
        problems: ['too-many-attempts'],
      });
    }
    const registered = await unlessBusy(reply, () =>
      this.register.execute({
        orgId: offer.orgId,
        flowId: flow.id,
        typed,
        password: form.require('newPassword'),
        judgedBy: offer.orgId,
        source: request.ip,
        locale: lookupLocale([form.get('locale') ?? ''], languages),
      }),
    );
    if (registered === 'too-busy') {
      return await this.registerForms.send(request, reply, flow, offer, { ...typed, problems: [registered] });
    }
    const { result } = registered;
    switch (result.kind) {
      case 'off':
        return this.registerForms.sendOff(request, reply, flow);
      case 'refused':
        return await this.registerForms.send(request, reply, flow, offer, {
          ...typed,
          problems: result.problems,
        });
      case 'password-too-long':
      case 'password-too-weak':
        return await this.registerForms.send(request, reply, flow, offer, {
          ...typed,
          ...refusedPassword(result),
        });
      case 'asked':
        return void redirectTo(reply, `/register/verify?id=${result.id}`, 303);
    }
  }

  /** Whatever can be said without looking anybody up, all at once. */
  private async refusalOf(
    offer: Offer,
    form: OAuthParameters,
    typed: TypedFields,
  ): Promise<Pick<RegisterFormState, 'problems' | 'unmet'> | undefined> {
    const read = readRegistration(typed, offer);
    const ofFields = 'problems' in read ? read.problems : [];
    const missing = missingNewPassword(form);
    const password = form.get('newPassword');
    const refusal =
      password === undefined ? undefined : await this.register.refusePassword(offer.orgId, password);
    const { problems: ofPassword, ...unmet } =
      refusal === undefined ? { problems: [] } : refusedPassword(refusal);
    const problems = [...ofFields, ...ofPassword, ...missing];
    return problems.length === 0 ? undefined : { problems, ...unmet };
  }

  private async begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if ((await this.offer.find(undefined)) === undefined) return this.registerForms.sendOff(request, reply);
    await this.ownFlows.begin(request, reply, 'register', 'home');
  }
}

function typedFields(form: OAuthParameters): TypedFields {
  return {
    email: form.get('email'),
    loginName: form.get('loginName'),
  };
}

/** A `login_hint` that is an address saves typing it. */
function hintedAddress({ request }: Flow): string | undefined {
  return request?.loginHint?.includes('@') === true ? request.loginHint : undefined;
}
