import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type Flow } from '../../domain/authorize/continue-flow.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { AgentCookie } from '../shared/cookies.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import type { PageOptions } from '../shared/pages.js';
import { FlowReplies } from './flow-replies.js';
import type { FormView } from './pages/form-parts.js';

/** The forms of a flow, by what they are for. */
export type FlowStepName = 'sign-in' | 'choose' | 'register' | 'change-password' | 'verify-email';

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
    private readonly continueFlow: ContinueFlow,
    private readonly agentCookie: AgentCookie,
    private readonly csrf: Csrf,
    private readonly errorPages: ErrorPages,
    private readonly replies: FlowReplies,
  ) {}

  /** The flow that a page is asked for; undefined when the answer was sent already. */
  async open(request: FastifyRequest, reply: FastifyReply): Promise<Flow | undefined> {
    const id = readQuery(request).get('flow');
    const flow = await this.continueFlow.find(id, this.agentCookie.read(request));
    if (flow === undefined) this.replies.sendOver(request, reply, id);
    return flow;
  }

  /** A form that came back; undefined when the answer was sent already. */
  async submitted(
    request: FastifyRequest,
    reply: FastifyReply,
    step: FlowStepName,
  ): Promise<SubmittedStep | undefined> {
    const form = readForm(request);
    const secret = this.agentCookie.read(request);
    const flow = await this.continueFlow.find(form.get('flow'), secret);
    // without its flow a form cannot be told from one that somebody else's page sent
    if (!this.csrf.holds(request, form.get('csrf'), step, flow?.agent.id ?? '', flow?.id ?? '')) {
      void this.errorPages.send(request, reply, 'form', 403);
      return undefined;
    }
    if (flow === undefined || secret === undefined) {
      this.replies.sendOver(request, reply, form.get('flow'));
      return undefined;
    }
    const device = describeBrowser(request.headers['user-agent']);
    return { form, flow: { ...flow, device }, secret };
  }

  view(flow: Flow, step: FlowStepName, action: string): FormView {
    return { action, csrf: this.csrf.token(step, flow.agent.id, flow.id), flow: flow.id };
  }
}

/** How the pages of a flow look, and where their forms may lead. */
export function flowPageOptions(flow: Flow, status = 200): PageOptions {
  return {
    status,
    organization: flow.organization,
    uiLocales: flow.request?.uiLocales,
    formTarget: flow.request?.redirectUri,
  };
}
