import { Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import { Config } from '../../config/config.js';
import { claimAt, type ExternalClaims } from '../../domain/identity-providers/claim-mapping.js';
import type { OAuthProvider } from '../../domain/identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../../domain/identity-providers/identity-providers.store.js';
import { makeAppleClientSecret } from '../../domain/identity-providers/oauth/apple-client-secret.js';
import {
  protocolOf,
  type OAuthProtocol,
  type OidcProtocol,
  type ProviderProtocol,
} from '../../domain/identity-providers/oauth/presets.js';
import {
  ProviderClient,
  ProviderRefused,
  ProviderUnavailable,
  type AskedSignOut,
  type ExternalIdentity,
  type ExternalSecrets,
  type ForwardedParameters,
  type ProviderAnswer,
  type ProviderLogout,
} from '../../domain/identity-providers/provider-client.js';
import { FRESH_SECONDS } from '../../domain/sessions/proof.js';
import { Clock } from '../../domain/shared/clock.js';
import { CircuitOpen } from '../circuit-breaker.js';
import { readLogoutToken } from './logout-token.js';
import { ProviderCalls, type CallOptions } from './provider-calls.js';
import { ProviderDiscovery } from './provider-discovery.js';
import { guarded } from './provider-faults.js';
import { namesFrom, sessionOf, subjectOf, tenantSubject } from './provider-person.js';

/** The user waits: time limit for all calls of a callback together. */
const REDEEM_MS = 10_000;
/** Of an address that servers and proxies still take. */
const LONGEST_HINT = 6_000;

/**
 * OpenID Connect and OAuth 2.0 towards providers, by oauth4webapi: it holds state, `iss` (RFC 9207), nonce, audience, times and
 * signature against what they must be. What is here is where it is sent, and what a preset does in its own way.
 */
@Injectable()
export class OAuthProviderClient extends ProviderClient {
  private readonly calls: ProviderCalls;
  private readonly discovery: ProviderDiscovery;

  constructor(
    config: Config,
    private readonly providers: IdentityProvidersStore,
    private readonly clock: Clock,
  ) {
    super();
    this.calls = new ProviderCalls(config.app.outbound.privateAddresses === 'allow');
    this.discovery = new ProviderDiscovery(this.calls);
  }

  override async authorizationUrl(
    provider: OAuthProvider,
    asked: ForwardedParameters,
    secrets: ExternalSecrets,
    callbackUrl: string,
  ): Promise<string> {
    const protocol = protocolOf(provider);
    const endpoint = await guarded(async () => await this.authorizationEndpoint(provider, protocol));
    const url = new URL(endpoint);
    const query = url.searchParams;
    query.set('client_id', protocol.clientId);
    query.set('response_type', 'code');
    query.set('redirect_uri', callbackUrl);
    query.set('scope', protocol.scopes.join(' '));
    query.set('state', secrets.state);
    if (protocol.responseMode !== undefined) query.set('response_mode', protocol.responseMode);
    if (protocol.pkce) {
      query.set('code_challenge', await oauth.calculatePKCECodeChallenge(secrets.codeVerifier));
      query.set('code_challenge_method', 'S256');
    }
    if (protocol.protocol === 'oidc' && protocol.nonce) query.set('nonce', secrets.nonce);
    if (protocol.takesHints) handOn(query, protocol, asked);
    return url.toString();
  }

  override async redeem(provider: OAuthProvider, answer: ProviderAnswer): Promise<ExternalIdentity> {
    const protocol = protocolOf(provider);
    const deadline = AbortSignal.timeout(REDEEM_MS);
    const found = await guarded(() =>
      protocol.protocol === 'oidc'
        ? this.redeemOidc(provider, protocol, answer, deadline)
        : this.redeemOAuth(provider, protocol, answer, deadline),
    );
    for (const [claim, wanted] of Object.entries(protocol.requiredClaims)) {
      const value = claimAt(found.claims, claim);
      if (String(value) !== wanted) throw new ProviderRefused(`the claim ${claim} is not what it must be`);
    }
    return found;
  }

  override async endSessionUrl(
    provider: OAuthProvider,
    { idToken, returnUrl, state }: AskedSignOut,
  ): Promise<string | undefined> {
    const protocol = protocolOf(provider);
    if (protocol.protocol !== 'oidc') return undefined;
    const { end_session_endpoint: endpoint } = await guarded(
      async () => await this.discovery.find(provider, protocol).server,
    );
    if (endpoint === undefined || !URL.canParse(endpoint)) return undefined;
    const url = new URL(endpoint);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.calls.allowPrivate)) return undefined;
    // a provider that gets none asks its user first
    if (idToken.length <= LONGEST_HINT) url.searchParams.set('id_token_hint', idToken);
    url.searchParams.set('client_id', protocol.clientId);
    url.searchParams.set('post_logout_redirect_uri', returnUrl);
    url.searchParams.set('state', state);
    return url.toString();
  }

  override async readLogoutToken(provider: OAuthProvider, token: string): Promise<ProviderLogout> {
    const protocol = protocolOf(provider);
    // of many tenants the issuer is another for each, and none of those providers sends any
    if (protocol.protocol !== 'oidc' || protocol.multiTenant)
      throw new ProviderRefused('it signs nobody out');
    return await guarded(
      async () =>
        await readLogoutToken(this.calls, provider, protocol, this.discovery.find(provider, protocol), token),
    );
  }

  private async redeemOidc(
    provider: OAuthProvider,
    protocol: OidcProtocol,
    answer: ProviderAnswer,
    deadline: AbortSignal,
  ): Promise<ExternalIdentity> {
    const { parameters, secrets, maxAge } = answer;
    const { server: discovered, keys } = this.discovery.find(provider, protocol);
    const server = await discovered;
    const client = { client_id: protocol.clientId };
    const options = this.calls.options(provider, deadline, keys);
    const response = await this.sendCode(provider, protocol, server, answer, options);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: protocol.nonce ? secrets.nonce : oauth.expectNoNonce,
      requireIdToken: true,
      ...(maxAge !== undefined && protocol.tellsAuthTime && { maxAge }),
    });
    // it came from the token endpoint under TLS; where that is on this network, without
    await oauth.validateApplicationLevelSignature(server, response, options);
    const idToken = oauth.getValidatedIdTokenClaims(tokens);
    if (idToken === undefined) throw new ProviderRefused('there is no ID token');
    const more =
      server.userinfo_endpoint === undefined
        ? {}
        : await oauth.processUserInfoResponse(
            server,
            client,
            idToken.sub,
            await oauth.userInfoRequest(server, client, tokens.access_token, options),
          );
    const claims: ExternalClaims = { ...more, ...namesFrom(provider, parameters), ...idToken };
    const subject = subjectOf(protocol.multiTenant ? tenantSubject(idToken) : idToken.sub);
    const session = sessionOf(idToken['sid']);
    const authenticatedAt = idToken.auth_time;
    return {
      subject,
      claims,
      session,
      authenticatedAt,
      // by the clock that the library holds `max_age` against
      isAnew: authenticatedAt !== undefined && Date.now() / 1000 - authenticatedAt <= FRESH_SECONDS,
      ...(protocol.signsOut && { signOutHint: tokens.id_token }),
    };
  }

  private async redeemOAuth(
    provider: OAuthProvider,
    protocol: OAuthProtocol,
    answer: ProviderAnswer,
    deadline: AbortSignal,
  ): Promise<ExternalIdentity> {
    const server = serverOf(protocol);
    const client = { client_id: protocol.clientId };
    const options = this.calls.options(provider, deadline);
    // there is no discovery to hold it against: that each provider has an address of its own for answers stands for it
    const parameters = new URLSearchParams(answer.parameters);
    parameters.delete('iss');
    const response = await this.sendCode(provider, protocol, server, { ...answer, parameters }, options);
    const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, client, response);
    const user = await this.resource(token, protocol.userinfoEndpoint, options);
    if (typeof user !== 'object' || user === null) throw new ProviderRefused('userinfo is no object');
    const own = user as ExternalClaims;
    const claims = { ...own, ...(await this.primaryEmail(token, protocol, options)) };
    return { subject: subjectOf(claimAt(own, protocol.subjectClaim)), claims };
  }

  /** The code of an answer whose `state` is right, to the token endpoint. What comes back is read by the protocol. */
  private async sendCode(
    provider: OAuthProvider,
    protocol: ProviderProtocol,
    server: oauth.AuthorizationServer,
    { parameters, secrets, callbackUrl }: ProviderAnswer,
    options: CallOptions,
  ): Promise<Response> {
    const client = { client_id: protocol.clientId };
    const checked = oauth.validateAuthResponse(server, client, parameters, secrets.state);
    return await oauth.authorizationCodeGrantRequest(
      server,
      client,
      await this.authentication(provider, protocol),
      checked,
      callbackUrl,
      protocol.pkce ? secrets.codeVerifier : oauth.nopkce,
      options,
    );
  }

  /** Of a provider that lists addresses: the first among them, and nothing that userinfo says of one. */
  private async primaryEmail(
    token: string,
    { emailsEndpoint }: OAuthProtocol,
    options: CallOptions,
  ): Promise<{ email?: string | undefined; email_verified?: boolean }> {
    if (emailsEndpoint === undefined) return {};
    const listed = await this.resource(token, emailsEndpoint, options);
    const entries = (Array.isArray(listed) ? listed : []) as readonly {
      readonly email?: unknown;
      readonly primary?: unknown;
      readonly verified?: unknown;
    }[];
    const primary = entries.find((entry) => entry.primary === true && typeof entry.email === 'string');
    if (primary === undefined) return { email: undefined, email_verified: false };
    return { email: String(primary.email), email_verified: primary.verified === true };
  }

  private async resource(token: string, url: string, options: CallOptions): Promise<unknown> {
    const response = await oauth.protectedResourceRequest(
      token,
      'GET',
      new URL(url),
      new Headers({ accept: 'application/json' }),
      null,
      options,
    );
    if (response.status >= 500) throw new ProviderUnavailable(`status ${response.status}`);
    if (response.status !== 200) throw new ProviderRefused(`status ${response.status}`);
    return await response.json();
  }

  private async authorizationEndpoint(provider: OAuthProvider, protocol: ProviderProtocol): Promise<string> {
    const server =
      protocol.protocol === 'oidc'
        ? await this.discovery.find(provider, protocol).server
        : serverOf(protocol);
    const { authorization_endpoint: endpoint, token_endpoint: tokens } = server;
    // nobody is sent to where they could not come back from
    if (tokens !== undefined && this.calls.isHeldBack(provider, tokens)) throw new CircuitOpen();
    if (endpoint === undefined || !URL.canParse(endpoint)) throw new ProviderUnavailable('no endpoint');
    const { protocol: scheme } = new URL(endpoint);
    // a browser is sent there
    if (scheme !== 'https:' && !(scheme === 'http:' && this.calls.allowPrivate)) {
      throw new ProviderUnavailable('the authorization endpoint is not https');
    }
    return endpoint;
  }

  private async authentication(
    provider: OAuthProvider,
    { authentication }: ProviderProtocol,
  ): Promise<oauth.ClientAuth> {
    if (authentication === 'none') return oauth.None();
    const secret = await this.providers.openSecret(provider.id);
    if (secret === undefined) throw new ProviderRefused('there is no client secret');
    switch (authentication) {
      case 'client_secret_basic':
        return oauth.ClientSecretBasic(secret);
      case 'client_secret_post':
        return oauth.ClientSecretPost(secret);
      case 'apple': {
        if (provider.kind !== 'apple') throw new Error('only Apple takes such secrets');
        const token = await makeAppleClientSecret(
          provider.settings,
          secret,
          Math.floor(this.clock.nowSeconds()),
        );
        return oauth.ClientSecretPost(token);
      }
    }
  }
}

function handOn(
  query: URLSearchParams,
  protocol: ProviderProtocol,
  { prompts, loginHint, uiLocales, maxAge, acrValues }: ForwardedParameters,
): void {
  const prompt = protocol.prompts.filter((one) => prompts.includes(one));
  if (prompt.length > 0) query.set('prompt', prompt.join(' '));
  if (loginHint !== undefined) query.set('login_hint', loginHint);
  if (uiLocales.length > 0) query.set('ui_locales', uiLocales.join(' '));
  if (maxAge !== undefined && protocol.takesMaxAge) query.set('max_age', String(maxAge));
  if (acrValues.length > 0) query.set('acr_values', acrValues.join(' '));
}

function serverOf(protocol: OAuthProtocol): oauth.AuthorizationServer {
  return {
    issuer: new URL(protocol.authorizationEndpoint).origin,
    authorization_endpoint: protocol.authorizationEndpoint,
    token_endpoint: protocol.tokenEndpoint,
  };
}
