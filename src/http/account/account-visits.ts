import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FindFlow } from '../../domain/authorize/flow/find-flow.js';
import { isFresh } from '../../domain/sessions/proof.js';
import type { Session } from '../../domain/sessions/session.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import type { FormView } from '../../pages/form-parts.js';
import type { Page } from '../../pages/layout.js';
import { readForm } from '../shared/oauth-form.js';
import { Csrf } from '../shared/pages/csrf.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { formTargetOf } from '../shared/pages/flow-replies.js';
import { Pages, type PageOptions } from '../shared/pages/pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountBrowser, type SignedInBrowser } from './account-browser.js';
import { AccountReaders, type AccountReader } from './account-readers.js';

/** Somebody who is signed in with this browser, on the pages of their own account. */
export interface AccountVisit extends AccountReader {
  readonly session: Session;
  /** All of this browser, the visit's own among them. */
  readonly sessions: readonly Session[];
  /** The cookie's value that the browser came with. */
  readonly secret: string;
}

/** A form of ours that came back. */
export interface SubmittedAccountForm {
  readonly visit: AccountVisit;
  readonly form: OAuthParameters;
}

/**
 * What every account page begins with: who is it, did our own form send this, and where the page is about something that
 * opens the account: have they shown a short while ago who they are? A form names the session that its page was shown
 * for, so nobody changes the account of somebody else who is signed in with the same browser.
 *
 * Each gives undefined when the answer was sent already.
 */
@Injectable()
export class AccountVisits {
  constructor(
    private readonly browser: AccountBrowser,
    private readonly readers: AccountReaders,
    private readonly findFlow: FindFlow,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
  ) {}

  /** For GET: the way in, for who is not signed in. */
  async open(request: FastifyRequest, reply: FastifyReply): Promise<AccountVisit | undefined> {
    const browser = await this.browser.open(request, reply);
    return await this.begin(request, reply, browser, browser.shown);
  }

  /**
   * For GET of the page that takes a fresh proof.
   *
   * @param flow the sign-in that asks for one before a factor is set up: of its user, who is not signed in yet
   */
  async openToProve(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: string | undefined,
  ): Promise<AccountVisit | undefined> {
    const browser = await this.browser.open(request, reply);
    const asked = flow === undefined ? undefined : (await this.findFlow.find(flow, browser.secret))?.session;
    const session = browser.provable.find(({ id }) => id === asked?.id) ?? browser.shown;
    return await this.begin(request, reply, browser, session);
  }

  /** For GET of a page that asks for a fresh proof: the page that takes it, and leads back here. */
  async openFresh(request: FastifyRequest, reply: FastifyReply): Promise<AccountVisit | undefined> {
    const visit = await this.open(request, reply);
    return visit === undefined || this.requireFresh(request, reply, visit) ? visit : undefined;
  }

  /** For POST. @param step what the form is for: the one that `form` was given @param among which sessions it may be of */
  async submitted(
    request: FastifyRequest,
    reply: FastifyReply,
    step: string,
    among: 'sessions' | 'provable' = 'sessions',
  ): Promise<SubmittedAccountForm | undefined> {
    const form = readForm(request);
    const browser = await this.browser.find(request);
    const named = form.get('session') ?? '';
    if (!this.csrf.holds(request, form.get('csrf'), 'account', step, browser.agent?.id ?? '', named)) {
      const wayOn = { to: 'beginAgain' as const, url: '/account' };
      this.errorPages.send(request, reply, 'form', 403, undefined, { wayOn });
      return undefined;
    }
    const session = browser[among].find(({ id }) => id === named);
    const visit = await this.begin(request, reply, browser, session);
    return visit && { visit, form };
  }

  /**
   * For POST of what opens the account. Nothing was done when the proof is too old: the reader is asked for it.
   *
   * @param page which the form is on, where it is sent to another address: that one shows nothing
   */
  async submittedFresh(
    request: FastifyRequest,
    reply: FastifyReply,
    step: string,
    page?: string,
  ): Promise<SubmittedAccountForm | undefined> {
    const submitted = await this.submitted(request, reply, step);
    if (submitted === undefined || !this.requireFresh(request, reply, submitted.visit, page))
      return undefined;
    return submitted;
  }

  /** What a form on a page of this visit carries. */
  form(
    { session }: AccountVisit,
    step: string,
    action: string,
    hidden: Readonly<Record<string, string>> = {},
  ): FormView {
    const csrf = this.csrf.token('account', step, session.userAgentId, session.id);
    return { action, csrf, hidden: { ...hidden, session: session.id } };
  }

  /** A page in the look of the reader's organization and, unless they chose another for the visit, in their language. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    { organization, user }: AccountVisit,
    render: (page: Page) => string,
    options: Pick<PageOptions, 'status' | 'passkeys' | 'formTarget'> = {},
  ): void {
    const { preferredLanguage } = user.profile;
    const uiLocales = preferredLanguage === undefined ? [] : [preferredLanguage];
    this.pages.send(request, reply, render, { ...options, organization, uiLocales });
  }

  /** Where a sign-in that goes on by a form of ours may send the browser: all of its steps may be done in another tab by then. */
  async formTarget({ secret }: AccountVisit, flow: string | undefined): Promise<string | undefined> {
    const found = flow === undefined ? undefined : await this.findFlow.find(flow, secret);
    return found && formTargetOf(found);
  }

  /** Whether the proof is fresh; if not, the reader was sent to the page that takes one, and leads back to `page`, or here. */
  requireFresh(
    request: FastifyRequest,
    reply: FastifyReply,
    { session }: AccountVisit,
    page?: string,
  ): boolean {
    if (isFresh(session)) return true;
    const next = page ?? request.url.split('?', 1)[0] ?? '';
    this.sendOn(request, reply, `/account/confirm?${new URLSearchParams({ next }).toString()}`);
    return false;
  }

  private async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { secret, sessions }: SignedInBrowser,
    session: Session | undefined,
  ): Promise<AccountVisit | undefined> {
    const reader = session && (await this.readers.admit(session));
    if (secret === undefined || session === undefined || reader === undefined) {
      this.sendOn(request, reply, '/login?destination=account');
      return undefined;
    }
    return { session, sessions, secret, ...reader };
  }

  private sendOn(request: FastifyRequest, reply: FastifyReply, url: string): void {
    void redirectTo(reply, url, request.method === 'POST' ? 303 : 302);
  }
}
