import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import {
  SignOut,
  type FrontChannelCall,
  type SignedOut,
  type SignOutRequest,
} from '../../domain/authorize/sign-out.js';
import { SignOutAtProvider } from '../../domain/external-sign-in/sign-out/sign-out-at-provider.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { Log } from '../../domain/shared/log.js';
import { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import {
  renderSignedOutPage,
  renderSigningOutPage,
  renderSignOutAgainPage,
  renderSignOutPage,
} from '../../pages/sign-out-pages.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { addressesAt, signedOutPath } from '../shared/external-callback.js';
import { toOAuthError } from '../shared/oauth-errors.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { redirectTo, withParameters } from '../shared/redirect.js';
import { SsoCookie } from '../shared/sso-cookie.js';
import { StateCookie } from '../shared/state-cookie.js';

const PATH = '/oidc/v1/end_session';
const CARRIED = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'] as const;

/** The field of the form of ours that sends what was posted once more. */
const AGAIN = 'again';

interface WaysOn {
  readonly target: string | undefined;
  readonly elsewhere: string | undefined;
  readonly calls: readonly FrontChannelCall[];
}

/** The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0 §2), and the confirmation behind it. */
@Controller()
export class EndSessionController {
  constructor(
    private readonly signOut: SignOut,
    private readonly atProvider: SignOutAtProvider,
    private readonly ssoCookie: SsoCookie,
    private readonly stateCookie: StateCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  @Get(PATH)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, readQuery(request), false);
  }

  @Post(PATH)
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const again = form.get(AGAIN);
    if (again !== undefined) {
      return await this.answer(request, reply, OAuthParameters.read(new URLSearchParams(again)), false);
    }
    if (this.ssoCookie.read(request) === undefined) return await this.askAgain(request, reply, form);
    await this.answer(request, reply, form, false);
  }

  /**
   * A form that an application posts from its own site comes without the SameSite=Lax cookie, and the browser looks like a new one
   * (RFC 6265bis §5.6.7). A page of ours sends it once more, with the cookie: as a form again, of whatever length, since an ID token
   * in an address would stand in histories and in the logs of proxies (RFC 9700 §4.3; security S410).
   */
  private async askAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
  ): Promise<void> {
    try {
      const { redirectUri, organization, uiLocales } = await this.signOut.check(parameters);
      const hidden = { [AGAIN]: carriedBy(parameters) };
      this.pages.send(request, reply, (page) => renderSignOutAgainPage({ ...page, action: PATH, hidden }), {
        formTarget: redirectUri,
        organization,
        uiLocales,
      });
    } catch (error) {
      this.refuse(request, reply, error);
    }
  }

  private refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const oauthError = toOAuthError(error, request.id, this.log);
    this.errorPages.sendOAuth(request, reply, oauthError, 'sign-out-request');
  }

  /** For people who type the address: asks whether they want to, and never signs out by itself. */
  @Get('logout')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, OAuthParameters.read(new URLSearchParams()), false);
  }

  /** The confirmation page comes back here. */
  @Post('logout')
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    if (!this.csrf.holds(request, form.get('csrf'), 'sign-out', this.ssoCookie.read(request) ?? '')) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const carried = OAuthParameters.read(new URLSearchParams(form.get('request') ?? ''));
    await this.answer(request, reply, carried, true);
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    confirmed: boolean,
  ): Promise<void> {
    const userAgentSecret = this.ssoCookie.read(request);
    let checked: SignOutRequest;
    let done: SignedOut | undefined;
    try {
      checked = await this.signOut.check(parameters);
      done = await this.signOut.run(checked, userAgentSecret, confirmed);
      if (done === undefined) return this.askToConfirm(request, reply, parameters, checked);
      await this.stateCookie.refresh(reply, userAgentSecret);
    } catch (error) {
      return this.refuse(request, reply, error);
    }
    const { redirectUri, state } = checked;
    const target = redirectUri === undefined ? undefined : withParameters(redirectUri, { state });
    const { url: issuer } = this.config.app.issuer;
    const waysBack = (id: IdentityProviderId) => ({
      returnUrl: `${issuer}${signedOutPath(id)}`,
      saml: addressesAt(issuer, id),
    });
    const elsewhere = await this.atProvider.begin(done.ended, target, waysBack);
    this.sendOn(request, reply, checked, { target, elsewhere, calls: done.calls });
  }

  /**
   * To where the application wants the browser, at once or when others have heard of the logout; else to a page of ours. By way of
   * the provider that the sign-in came from, where that is to hear of it: from a page, since the form that was posted may not
   * lead to addresses that it did not know.
   */
  private sendOn(
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

  private askToConfirm(
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
}

/** In one encoded field: browsers rewrite line breaks in form values, and state must come back as it was sent. */
function carriedBy(parameters: OAuthParameters): string {
  const carried = new URLSearchParams();
  for (const name of CARRIED) carried.set(name, parameters.get(name) ?? '');
  return carried.toString();
}
