import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FindFlow, type Flow } from '../../domain/authorize/flow/find-flow.js';
import { FindRegistration } from '../../domain/registration/find-registration.js';
import type { PendingRegistration } from '../../domain/registration/registrations.store.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { renderRegisterElsewherePage } from '../../pages/error-pages.js';
import type { FormView } from '../../pages/form-parts.js';
import type { VerifyEmailProblem } from '../../pages/problems.js';
import { renderVerificationNeededPage } from '../../pages/verify-email-page.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Csrf } from '../shared/pages/csrf.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { flowPageOptions } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { linkId } from './link-id.js';

const PATH = '/register/verify';
const STEP = 'register-verify';

/** In the browser that began it, as long as its flow is open. */
interface OpenedRegistration {
  readonly pending: PendingRegistration;
  readonly flow: Flow;
  /** The cookie's value that the browser came with. */
  readonly userAgentSecret: string;
  readonly parameters: OAuthParameters;
}

interface RegistrationFormState {
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem;
  readonly wasSent?: boolean;
}

/** The page that takes the code of a registration, and the steps that come before anything is done on it. */
@Injectable()
export class RegistrationPages {
  constructor(
    private readonly findRegistration: FindRegistration,
    private readonly findFlow: FindFlow,
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
  ) {}

  /** For GET. Undefined when the page that says why was sent already. */
  async open(request: FastifyRequest, reply: FastifyReply): Promise<OpenedRegistration | undefined> {
    return await this.find(request, reply, readQuery(request));
  }

  /** For POST: the form is from our own page. */
  async submitted(request: FastifyRequest, reply: FastifyReply): Promise<OpenedRegistration | undefined> {
    const form = readForm(request);
    if (this.csrf.holds(request, form.get('csrf'), STEP, linkId(form))) {
      return await this.find(request, reply, form);
    }
    this.errorPages.send(request, reply, 'form', 403);
    return undefined;
  }

  showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { pending, flow }: OpenedRegistration,
    { wasSent, ...state }: RegistrationFormState,
  ): void {
    const status = state.problem === undefined ? 200 : 400;
    const availableInSeconds = pending.resendInSeconds;
    const resend = { form: this.form(pending, `${PATH}/resend`), availableInSeconds, wasSent };
    this.pages.send(
      request,
      reply,
      (page) =>
        renderVerificationNeededPage({
          ...page,
          ...state,
          form: this.form(pending, PATH),
          sentTo: pending.email,
          resend,
        }),
      { ...flowPageOptions(flow, status), organization: pending.organization },
    );
  }

  /** In a browser that did not begin it, or whose flow is over: nothing can be done from here, and no try is taken. */
  sendElsewhere(
    request: FastifyRequest,
    reply: FastifyReply,
    { organization }: Pick<PendingRegistration, 'organization'>,
  ): void {
    this.pages.send(request, reply, renderRegisterElsewherePage, { status: 400, organization });
  }

  private async find(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
  ): Promise<OpenedRegistration | undefined> {
    const pending = await this.findRegistration.find(linkId(parameters));
    if (pending === 'off') {
      this.errorPages.send(request, reply, 'registration-off', 403);
      return undefined;
    }
    const userAgentSecret = this.ssoCookie.read(request);
    const flow = await this.findFlow.find(pending?.flowId, userAgentSecret);
    if (pending !== undefined && flow !== undefined && userAgentSecret !== undefined) {
      return { pending, flow, userAgentSecret, parameters };
    }
    if (pending?.live === true) this.sendElsewhere(request, reply, pending);
    else this.errorPages.sendLinkOver(request, reply);
    return undefined;
  }

  private form({ id }: PendingRegistration, action: string): FormView {
    return { action, csrf: this.csrf.token(STEP, id), hidden: { id } };
  }
}
