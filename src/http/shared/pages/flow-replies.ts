import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../../config/config.js';
import { isUnknownHere, type BrowserApplication } from '../../../domain/applications/application.js';
import type { AuthorizationAnswer } from '../../../domain/authorize/answer/finish-answer.js';
import type { OwnDestination } from '../../../domain/authorize/auth-request.js';
import type { BegunFlow, FlowPage } from '../../../domain/authorize/flow/begin-flow.js';
import type { FlowResult } from '../../../domain/authorize/flow/continue-flow.js';
import type { BeginOutcome } from '../../../domain/authorize/flow/decide-request.js';
import type { Flow } from '../../../domain/authorize/flow/find-flow.js';
import { sessionStateFor } from '../../../domain/sessions/browser-state.js';
import { AuthorizationResponses } from './authorization-responses.js';
import { ErrorPages } from './error-pages.js';
import type { PageOptions } from './pages.js';
import { redirectTo } from './redirect.js';
import { SsoCookie } from './sso-cookie.js';
import { StateCookie } from './state-cookie.js';

const PATHS: Readonly<Record<FlowPage, string>> = {
  'sign-in': '/login',
  choose: '/login/accounts',
  register: '/register',
  'second-factor': '/login/second-factor',
  'change-password': '/login/change-password',
  'set-up-factor': '/login/set-up-factor',
  'verify-email': '/login/verify-email',
  consent: '/login/consent',
};

const OWN_DESTINATIONS: Readonly<Record<OwnDestination, string>> = {
  home: '/',
  queues: '/admin/queues',
  account: '/account',
};

/** A name of ours that a sign-in may lead to; anything else leads home. */
export function ownDestination(name: string | undefined): OwnDestination {
  return name === 'queues' || name === 'account' ? name : 'home';
}

export function flowPath(page: FlowPage, flow: string): string {
  return `${PATHS[page]}?flow=${flow}`;
}

/** Branding of the pages of an open flow, the targets of their forms, and whether the sign-in can be cancelled. */
export function flowPageOptions(flow: Flow, status = 200): PageOptions {
  const { request, id, agent } = flow;
  return { ...brandedOptions(flow, status), cancels: request && { flow: id, agent: agent.id } };
}

function brandedOptions(flow: Flow, status?: number): PageOptions {
  return {
    ...(status !== undefined && { status }),
    organization: flow.organization,
    uiLocales: flow.request?.uiLocales,
    formTarget: formTargetOf(flow),
  };
}

/** Where a form of the flow may send the browser by its last step, for the page's CSP; undefined: to pages of ours alone. */
export function formTargetOf({ request }: Pick<Flow, 'request'>): string | undefined {
  // a device's answer goes to a page of ours
  return request?.deviceAuthorizationId === undefined ? request?.redirectUri : undefined;
}

/** Whether the application asked for the form of a registration (Initiating User Registration 1.0, `prompt=create`). */
export function isSentToRegister({ request }: Pick<Flow, 'request'>): boolean {
  return request?.prompts.includes('create') === true;
}

/** Redirects a flow to its next step: its next page, a page of ours, or the application. */
@Injectable()
export class FlowReplies {
  constructor(
    private readonly ssoCookie: SsoCookie,
    private readonly stateCookie: StateCookie,
    private readonly errorPages: ErrorPages,
    private readonly responses: AuthorizationResponses,
    private readonly config: Config,
  ) {}

  /** To the page that a flow has come to, with a cookie for a browser that is new. */
  sendToPage(request: FastifyRequest, reply: FastifyReply, page: FlowPage, begun: BegunFlow): void {
    if (begun.newAgent !== undefined) this.ssoCookie.write(reply, begun.newAgent.secret);
    void redirectTo(reply, flowPath(page, begun.flow), request.method === 'POST' ? 303 : 302);
  }

  async sendBegun(request: FastifyRequest, reply: FastifyReply, outcome: BeginOutcome): Promise<void> {
    const state = await this.stateCookie.refresh(reply, this.ssoCookie.read(request));
    if (outcome.kind === 'interact') return this.sendToPage(request, reply, outcome.page, outcome);
    const { application } = outcome;
    const answer = withSessionState(outcome.answer, application, state);
    await this.sendAnswer(request, reply, answer, application, { organization: application.organization });
  }

  /** @param result of a form that was found good */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    result: Exclude<FlowResult, { kind: 'refused' }>,
    flow: Flow,
  ): Promise<void> {
    if (result.kind === 'gone') return this.sendOver(request, reply, flow);
    // from here on the browser is known by a new secret (security S039)
    if (result.agent !== undefined) this.ssoCookie.write(reply, result.agent.secret);
    const secret = result.agent?.secret ?? this.ssoCookie.read(request);
    const state = await this.stateCookie.refresh(reply, secret);
    if (result.kind === 'step') return void redirectTo(reply, flowPath(result.step, result.flow), 303);
    const { answer, destination } = result;
    if (destination !== 'application') {
      // a name that only a newer release knows, in an upgrade, leads home
      return void redirectTo(reply, OWN_DESTINATIONS[ownDestination(destination)], 303);
    }
    if (answer === undefined || flow.application === undefined) {
      throw new Error('an application was promised an answer');
    }
    const stated = withSessionState(answer, flow.application, state);
    await this.sendAnswer(request, reply, stated, flow.application, flow);
  }

  /** The flow was open a moment ago, or this step of it is not due: says so, with the way to its beginning. */
  sendOver(request: FastifyRequest, reply: FastifyReply, flow: Flow): void {
    void this.errorPages.sendExpired(request, reply, flowPath('sign-in', flow.id), brandedOptions(flow));
  }

  /** @param over the flow that was answered or has expired; undefined for none of this browser's */
  sendExpired(request: FastifyRequest, reply: FastifyReply, over: Flow | undefined): void {
    if (over === undefined) return void this.errorPages.sendExpired(request, reply);
    const { application } = over;
    if (over.request?.pushed === true && application !== undefined) {
      return this.sendUsedUp(request, reply, application, brandedOptions(over));
    }
    const again = `/login/again?flow=${over.id}`;
    void this.errorPages.sendExpired(request, reply, again, brandedOptions(over));
  }

  /** A flow of a pushed request is over: its application pushes another one. */
  sendUsedUp(
    request: FastifyRequest,
    reply: FastifyReply,
    application: BrowserApplication,
    look: PageOptions = { organization: application.organization },
  ): void {
    const beginning = beginningAt(application, this.config.app.issuer.url);
    void this.errorPages.sendExpired(request, reply, beginning, look);
  }

  private async sendAnswer(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: AuthorizationAnswer,
    application: BrowserApplication,
    flow: Partial<Pick<Flow, 'id' | 'organization'>>,
  ): Promise<void> {
    if (answer.request.deviceAuthorizationId !== undefined) {
      // never by its parameters: the code in them stands for the device's own
      const path = 'refusal' in answer ? '/device/refused' : '/device/done';
      // by its flow, which answers to this browser alone, the page knows how to look
      const of = flow.id === undefined ? '' : `?flow=${flow.id}`;
      return void redirectTo(reply, `${path}${of}`, request.method === 'POST' ? 303 : 302);
    }
    await this.responses.send(request, reply, answer, application, {
      organization: flow.organization,
      uiLocales: answer.request.uiLocales,
    });
  }
}

/**
 * The application's `initiate_login_uri` (OpenID Connect Core §4); undefined if it has none, or is unvetted: users then have to
 * return to it by themselves.
 */
function beginningAt(application: BrowserApplication, issuer: string): string | undefined {
  if (application.initiateLoginUri === null || isUnknownHere(application)) return undefined;
  const url = new URL(application.initiateLoginUri);
  url.searchParams.set('iss', issuer);
  return url.href;
}

/** Session Management §2: in answers that sign somebody in, whichever way they go. */
function withSessionState(
  answer: AuthorizationAnswer,
  { clientId, sessionManagement }: BrowserApplication,
  browserState: string | undefined,
): AuthorizationAnswer {
  if (!('parameters' in answer) || !sessionManagement || browserState === undefined) return answer;
  // a device has no browser to watch, and no redirect URI
  if (answer.request.deviceAuthorizationId !== undefined) return answer;
  const session_state = sessionStateFor(clientId, answer.request.redirectUri, browserState);
  if (session_state === undefined) return answer;
  return { ...answer, parameters: { ...answer.parameters, session_state } };
}
