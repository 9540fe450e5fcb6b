import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow } from '../../domain/authorize/flow/continue-flow.js';
import { FindFlow, isFlowId, type Flow } from '../../domain/authorize/flow/find-flow.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import type { Session } from '../../domain/sessions/session.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import type { FormView } from '../../pages/form-parts.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Csrf } from '../shared/pages/csrf.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { CANCEL_STEP } from '../shared/pages/pages.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';

/** The forms of a flow, by what they are for. */
type FlowStepName =
  | 'sign-in'
  | 'choose'
  | 'register'
  | 'complete-external'
  | 'second-factor'
  | 'change-password'
  | 'set-up-factor'
  | 'verify-email'
  | 'consent'
  | typeof CANCEL_STEP;

export interface SubmittedStep {
  readonly form: OAuthParameters;
  readonly flow: Flow;
  /** The cookie's value that the browser came with. */
  readonly secret: string;
}

/** What every page of a flow begins with: whose flow is it, and did our own form send this? */
@Injectable()
export class FlowForms {
  constructor(
    private readonly findFlow: FindFlow,
    private readonly continueFlow: ContinueFlow,
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly errorPages: ErrorPages,
    private readonly replies: FlowReplies,
  ) {}

  /** The flow of this browser, for pages that can be had without one, too. */
  async find(request: FastifyRequest, id: string | undefined): Promise<Flow | undefined> {
    return await this.findFlow.find(id, this.ssoCookie.read(request));
  }

  /** One of this browser that was answered or has expired. */
  async findOver(request: FastifyRequest, id: string | undefined): Promise<Flow | undefined> {
    return await this.findFlow.findOver(id, this.ssoCookie.read(request));
  }

  /** The flow that a page is asked for; undefined when the answer was sent already. */
  async open(request: FastifyRequest, reply: FastifyReply): Promise<Flow | undefined> {
    const id = readQuery(request).get('flow');
    const flow = await this.find(request, id);
    if (flow === undefined) this.replies.sendExpired(request, reply, await this.findOver(request, id));
    return flow;
  }

  /** A form that came back; undefined when the answer was sent already. */
  async submitted(
    request: FastifyRequest,
    reply: FastifyReply,
    step: FlowStepName,
  ): Promise<SubmittedStep | undefined> {
    const form = readForm(request);
    const secret = this.ssoCookie.read(request);
    const id = form.get('flow');
    const flow = await this.findFlow.find(id, secret);
    const over = flow === undefined ? await this.findFlow.findOver(id, secret) : undefined;
    const { agent, id: known } = flow ?? over ?? {};
    // without its flow a form cannot be distinguished from a forged one (CSRF)
    if (!this.csrf.holds(request, form.get('csrf'), step, agent?.id ?? '', known ?? '')) {
      // two tabs of a new browser got a cookie each, and the first one is lost: the page offers to start again
      const wayOn = isFlowId(id) ? { to: 'beginAgain' as const, url: `/login/again?flow=${id}` } : undefined;
      void this.errorPages.send(request, reply, 'form', 403, undefined, { wayOn });
      return undefined;
    }
    if (flow === undefined || secret === undefined) {
      this.replies.sendExpired(request, reply, over);
      return undefined;
    }
    const device = describeBrowser(request.headers['user-agent']);
    return { form, flow: { ...flow, device }, secret };
  }

  /** Past a step that is not due any more, as it was done in another tab or on another device. */
  async goOn(request: FastifyRequest, reply: FastifyReply, flow: Flow, session: Session): Promise<void> {
    const result = await this.continueFlow.proceed(flow, session.id);
    if (result.kind === 'refused') return this.replies.sendOver(request, reply, flow);
    await this.replies.send(request, reply, result, flow);
  }

  view(flow: Flow, step: FlowStepName, action: string): FormView {
    return { action, csrf: this.csrf.token(step, flow.agent.id, flow.id), flow: flow.id };
  }
}
