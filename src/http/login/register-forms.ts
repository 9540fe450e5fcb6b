import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { renderRegisterPage, type RegisterPage } from '../../pages/register-page.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { flowPageOptions, flowPath } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { OrganizationRules } from '../shared/pages/password-rules.js';
import { statusOf } from '../shared/server/busy.js';
import { FlowForms } from './flow-forms.js';
import { inFlow } from './flow-pages.js';
import { RegistrationOffer, type Offer } from './registration-offer.js';

/** What was typed: given back after an error, save the password. */
export type TypedFields = Pick<RegisterPage, 'email' | 'loginName'>;
export type RegisterFormState = TypedFields & Pick<RegisterPage, 'problems' | 'unmet'>;

/** The form of a registration, as it is asked for and as it comes back with its problems. */
@Injectable()
export class RegisterForms {
  constructor(
    private readonly forms: FlowForms,
    private readonly pages: Pages,
    private readonly rules: OrganizationRules,
    private readonly offer: RegistrationOffer,
    private readonly errorPages: ErrorPages,
  ) {}

  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    offer: Offer,
    state: RegisterFormState,
  ): Promise<void> {
    const rules = await this.rules.find(offer.orgId);
    const { problems = [] } = state;
    this.pages.send(
      request,
      reply,
      (page) =>
        renderRegisterPage({
          ...page,
          ...state,
          // the mail speaks the language of the page
          form: {
            ...this.forms.view(flow, 'register', '/register'),
            hidden: { locale: page.texts.language },
          },
          applicationName: flow.application?.name,
          asksLoginName: offer.requireLoginName,
          domain: offer.primaryDomain,
          rules,
          signInUrl: inFlow('/login', flow),
        }),
      { ...flowPageOptions(flow, statusOf(problems)), organization: offer.organization },
    );
  }

  /** To whoever has sent it and must change something. */
  async sendAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    state: RegisterFormState,
  ): Promise<void> {
    const offer = await this.offer.find(flow);
    if (offer === undefined) return void this.errorPages.sendLinkOver(request, reply);
    await this.send(request, reply, flow, offer, state);
  }

  /** There is no registration, or none any more. */
  sendOff(request: FastifyRequest, reply: FastifyReply, flow?: Flow): void {
    const url = flow === undefined ? '/login' : flowPath('sign-in', flow.id);
    void this.errorPages.send(request, reply, 'registration-off', 403, undefined, {
      ...(flow === undefined ? {} : flowPageOptions(flow)),
      wayOn: { to: 'signIn', url },
    });
  }
}
