import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignOutRequest } from '../../domain/authorize/sign-out/read-sign-out-request.js';
import type { FrontChannelCall } from '../../domain/authorize/sign-out/sign-out.js';
import { Log } from '../../domain/shared/log.js';
import { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import {
  renderSignedOutPage,
  renderSigningOutPage,
  renderSignOutAgainPage,
  renderSignOutPage,
} from '../../pages/sign-out-pages.js';
import { toOAuthError } from '../shared/oauth-errors.js';
import { Csrf } from '../shared/pages/csrf.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { Pages } from '../shared/pages/pages.js';
import { redirectTo, withParameters } from '../shared/pages/redirect.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';

export const END_SESSION_PATH = '/oidc/v1/end_session';
const CARRIED = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'] as const;

/** The field of the form of ours that sends what was posted once more. */
export const AGAIN = 'again';

interface WaysOn {
  readonly target: string | undefined;
  readonly elsewhere: string | undefined;
  readonly calls: readonly FrontChannelCall[];
}

/** The pages of signing out: they ask, send on, or say what was wrong. */
@Injectable()
export class SignOutPages {
  constructor(
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly log: Log,
  ) {}

  /** Sends what was posted once more, with the cookie. */
  askAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    { redirectUri, organization, uiLocales }: SignOutRequest,
  ): void {
    const hidden = { [AGAIN]: carriedBy(parameters) };
    this.pages.send(
      request,
      reply,
      (page) => renderSignOutAgainPage({ ...page, action: END_SESSION_PATH, hidden }),
      { formTarget: redirectUri, organization, uiLocales },
    );
  }

  askToConfirm(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    { redirectUri, organization, uiLocales }: SignOutRequest,
  ): void {
    const hidden = { request: carriedBy(parameters) };
    const csrf = this.csrf.token('sign-out', this.ssoCookie.read(request) ?? '');
    this.pages.send(
      request,
      reply,
      (page) => renderSignOutPage({ ...page, form: { action: '/logout', csrf, hidden }, stayUrl: '/' }),
      { formTarget: redirectUri, organization, uiLocales },
    );
  }

  /** What that page has asked about, once somebody agreed; undefined when the answer was sent already. */
  confirmed(
    request: FastifyRequest,
    reply: FastifyReply,
    form: OAuthParameters,
  ): OAuthParameters | undefined {
    if (this.csrf.holds(request, form.get('csrf'), 'sign-out', this.ssoCookie.read(request) ?? '')) {
      return OAuthParameters.read(new URLSearchParams(form.get('request') ?? ''));
    }
    this.errorPages.send(request, reply, 'form', 403);
    return undefined;
  }

  /**
   * To the application's post-logout redirect URI, at once or after the front-channel logout of others; else to a page of ours. Through
   * the provider that the sign-in came from, if the user is signed out there too: from a page, since form-action forbids the posted form
   * to redirect to addresses that were not listed.
   */
  sendOn(
    request: FastifyRequest,
    reply: FastifyReply,
    { organization, uiLocales }: SignOutRequest,
    { target, elsewhere, calls }: WaysOn,
  ): void {
    const onward = elsewhere ?? target;
    if (elsewhere === undefined && target !== undefined && calls.length === 0) {
      return void redirectTo(reply, target, request.method === 'GET' ? 302 : 303);
    }
    const frames = calls.map(({ uri, parameters }) => withParameters(uri, parameters));
    this.pages.send(
      request,
      reply,
      (page) =>
        onward === undefined
          ? renderSignedOutPage({ ...page, signInUrl: '/login', frames })
          : renderSigningOutPage({ ...page, target: onward, frames }),
      { organization, uiLocales, frames },
    );
  }

  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const oauthError = toOAuthError(error, request.id, this.log);
    this.errorPages.sendOAuth(request, reply, oauthError, 'sign-out-request');
  }
}

/** In one encoded field: browsers rewrite line breaks in form values, and state must come back as it was sent. */
function carriedBy(parameters: OAuthParameters): string {
  const carried = new URLSearchParams();
  for (const name of CARRIED) carried.set(name, parameters.get(name) ?? '');
  return carried.toString();
}
