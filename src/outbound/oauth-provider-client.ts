import { Injectable } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose';
import * as oauth from 'oauth4webapi';
import { Config } from '../config/config.js';
import { makeAppleClientSecret } from '../domain/identity-providers/apple-client-secret.js';
import { claimAt, type ExternalClaims } from '../domain/identity-providers/claim-mapping.js';
import type { OAuthProvider } from '../domain/identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../domain/identity-providers/identity-providers.store.js';
import {
  protocolOf,
  type OAuthProtocol,
  type OidcProtocol,
  type ProviderProtocol,
} from '../domain/identity-providers/presets.js';
import {
  ProviderClient,
  ProviderRefused,
  ProviderUnavailable,
  type AskedSignOut,
  type ExternalIdentity,
  type ExternalSecrets,
  type HandedOn,
  type ProviderAnswer,
  type ProviderLogout,
} from '../domain/identity-providers/provider-client.js';
import { Clock } from '../domain/shared/clock.js';
import { CircuitBreaker, CircuitOpen } from './circuit-breaker.js';
import { guardedFetch, type GuardedRequest } from './guarded-fetch.js';

/**
 * How long a discovery document is believed, and with it that the provider is there. Keys are looked for anew as soon as a
 * token names another one.
 */
const DISCOVERY_MS = 60_000;
const MOST_REMEMBERED = 1_000;
/** Somebody waits: for all calls together that tell who has come back. */
const REDEEM_MS = 10_000;
const LONGEST_SUBJECT = 255;
/** Of an address that servers and proxies still take. */
const LONGEST_HINT = 6_000;
/** Of the prompts that an application may ask for, those that mean the same to a provider. */
const HANDED_PROMPTS = ['login', 'select_account', 'consent'];

/** Marks of oauth4webapi for an issuer that differs from tenant to tenant; its types leave them out. */
const { _nodiscoverycheck: ANY_ISSUER, _expectedIssuer: EXPECTED_ISSUER } = oauth as unknown as {
  readonly _nodiscoverycheck: URL;
  readonly _expectedIssuer: symbol;
};

interface Remembered {
  readonly until: number;
  readonly server: Promise<oauth.AuthorizationServer>;
  readonly keys: oauth.JWKSCacheInput;
  /** Made when a logout token comes, so that who sends many has the keys read no oftener. */
  logoutKeys?: ReturnType<typeof createRemoteJWKSet>;
}

/** A logout token is for now (Back-Channel Logout §2.6). */
const LOGOUT_TOKEN_SECONDS = 300;
const LOGOUT_SKEW_SECONDS = 60;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Whatever a provider signs with; never what a secret could, which is also known to it alone by promise. */
const SIGNED_BY_KEY = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/**
 * OpenID Connect and OAuth 2.0 towards providers, by oauth4webapi: it holds state, `iss` (RFC 9207), nonce, audience, times and
 * signature against what they must be. What is here is where it is sent, and what a preset does in its own way.
 */
@Injectable()
export class OAuthProviderClient extends ProviderClient {
  private readonly allowPrivate: boolean;
  private readonly breaker = new CircuitBreaker();
  private readonly remembered = new Map<string, Remembered>();

  constructor(
    config: Config,
    private readonly providers: IdentityProvidersStore,
    private readonly clock: Clock,
  ) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async authorizationUrl(
    provider: OAuthProvider,
    asked: HandedOn,
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
    if (protocol.takesHints) handOn(query, asked);
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
      async () => await this.discover(provider, protocol).server,
    );
    if (endpoint === undefined || !URL.canParse(endpoint)) return undefined;
    const url = new URL(endpoint);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.allowPrivate)) return undefined;
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
    return await guarded(async () => {
      const remembered = this.discover(provider, protocol);
      const { issuer, jwks_uri: address } = await remembered.server;
      if (address === undefined) throw new ProviderUnavailable('no keys');
      remembered.logoutKeys ??= createRemoteJWKSet(new URL(address), {
        [customFetch]: async (url, { headers }) =>
          await this.call(provider, url, { headers: Object.fromEntries(new Headers(headers)) }),
      });
      try {
        const { payload, protectedHeader } = await jwtVerify(token, remembered.logoutKeys, {
          issuer,
          audience: protocol.clientId,
          algorithms: SIGNED_BY_KEY,
          maxTokenAge: LOGOUT_TOKEN_SECONDS,
          clockTolerance: LOGOUT_SKEW_SECONDS,
        });
        return logoutOf(payload, protectedHeader.typ);
      } catch (error) {
        if (error instanceof errors.JOSEError && !isKeysAway(error)) throw new ProviderRefused(error.code);
        throw error;
      }
    });
  }

  private async redeemOidc(
    provider: OAuthProvider,
    protocol: OidcProtocol,
    { parameters, secrets, callbackUrl, maxAge }: ProviderAnswer,
    deadline: AbortSignal,
  ): Promise<ExternalIdentity> {
    const { server: discovered, keys } = this.discover(provider, protocol);
    const server = await discovered;
    const client = { client_id: protocol.clientId };
    const options = this.options(provider, deadline, keys);
    const checked = oauth.validateAuthResponse(server, client, parameters, secrets.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      await this.authentication(provider, protocol),
      checked,
      callbackUrl,
      protocol.pkce ? secrets.codeVerifier : oauth.nopkce,
      options,
    );
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
      ...(protocol.signsOut && { signOutHint: tokens.id_token }),
    };
  }

  private async redeemOAuth(
    provider: OAuthProvider,
    protocol: OAuthProtocol,
    { parameters, secrets, callbackUrl }: ProviderAnswer,
    deadline: AbortSignal,
  ): Promise<ExternalIdentity> {
    const server = serverOf(protocol);
    const client = { client_id: protocol.clientId };
    const options = this.options(provider, deadline);
    // there is no discovery to hold it against: that each provider has an address of its own for answers stands for it
    const answered = new URLSearchParams(parameters);
    answered.delete('iss');
    const checked = oauth.validateAuthResponse(server, client, answered, secrets.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      await this.authentication(provider, protocol),
      checked,
      callbackUrl,
      protocol.pkce ? secrets.codeVerifier : oauth.nopkce,
      options,
    );
    const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, client, response);
    const user = await this.resource(token, protocol.userinfoEndpoint, options);
    if (typeof user !== 'object' || user === null) throw new ProviderRefused('userinfo is no object');
    const own = user as ExternalClaims;
    const claims = { ...own, ...(await this.primaryEmail(token, protocol, options)) };
    return { subject: subjectOf(claimAt(own, protocol.subjectClaim)), claims };
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
      protocol.protocol === 'oidc' ? await this.discover(provider, protocol).server : serverOf(protocol);
    const { authorization_endpoint: endpoint, token_endpoint: tokens } = server;
    // nobody is sent to where they could not come back from
    if (tokens !== undefined && this.breaker.isOpen(circuitOf(provider, tokens))) throw new CircuitOpen();
    if (endpoint === undefined || !URL.canParse(endpoint)) throw new ProviderUnavailable('no endpoint');
    const { protocol: scheme } = new URL(endpoint);
    // a browser is sent there
    if (scheme !== 'https:' && !(scheme === 'http:' && this.allowPrivate)) {
      throw new ProviderUnavailable('the authorization endpoint is not https');
    }
    return endpoint;
  }

  private discover(provider: OAuthProvider, { issuer, multiTenant }: OidcProtocol): Remembered {
    const now = performance.now();
    // the same document is read in two ways
    const key = `${multiTenant ? 'many' : 'one'} ${issuer}`;
    const known = this.remembered.get(key);
    if (known !== undefined && known.until > now) return known;
    this.makeRoom(key);
    const server = this.readDiscovery(provider, issuer, multiTenant);
    const found: Remembered = { until: now + DISCOVERY_MS, server, keys: known?.keys ?? {} };
    this.remembered.set(key, found);
    server.catch(() => {
      if (this.remembered.get(key) === found) this.remembered.delete(key);
    });
    return found;
  }

  /** The oldest goes, so that whoever names many issuers takes nobody else's away at once. */
  private makeRoom(key: string): void {
    this.remembered.delete(key);
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined && this.remembered.size >= MOST_REMEMBERED) this.remembered.delete(oldest);
  }

  private async readDiscovery(
    provider: OAuthProvider,
    issuer: string,
    multiTenant: boolean,
  ): Promise<oauth.AuthorizationServer> {
    // others wait for the same answer: no deadline of one of them
    const response = await oauth.discoveryRequest(new URL(issuer), this.options(provider));
    if (response.status !== 200) throw new ProviderUnavailable(`discovery answers ${response.status}`);
    if (!multiTenant) return await oauth.processDiscoveryResponse(new URL(issuer), response);
    const server = await oauth.processDiscoveryResponse(ANY_ISSUER, response);
    return {
      ...server,
      // each directory is an issuer of its own, which the token names
      [EXPECTED_ISSUER]: ({ claims }: { claims: { tid?: unknown } }) =>
        server.issuer.replace('{tenantid}', String(claims.tid)),
    };
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

  private options(provider: OAuthProvider, deadline?: AbortSignal, keys?: oauth.JWKSCacheInput) {
    return {
      [oauth.customFetch]: async (url: string, request: GuardedRequest) =>
        await this.call(provider, url, { ...request, deadline }),
      [oauth.allowInsecureRequests]: this.allowPrivate,
      ...(keys !== undefined && { [oauth.jwksCache]: keys }),
    };
  }

  /**
   * Counts what goes over the wire, and each server of a provider by itself: one that answers says nothing of another.
   * @throws CircuitOpen, and as `guardedFetch`
   */
  private async call(provider: OAuthProvider, url: string, request: GuardedRequest): Promise<Response> {
    try {
      return await this.breaker.run(
        circuitOf(provider, url),
        () => true,
        async () => {
          const response = await guardedFetch(url, request, this.allowPrivate);
          if (response.status >= 500) throw new ServerFailed(response);
          return response;
        },
      );
    } catch (error) {
      if (error instanceof ServerFailed) return error.response;
      throw error;
    }
  }
}

/** Of oauth4webapi, for all calls of one sign-in. */
type CallOptions = oauth.ProtectedResourceRequestOptions;

/** An answer that counts as a failure, and is looked at like any other. */
class ServerFailed extends Error {
  constructor(readonly response: Response) {
    super(`status ${response.status}`);
  }
}

function circuitOf({ id }: OAuthProvider, url: string): string {
  return `${id} ${new URL(url).origin}`;
}

/** @throws ProviderUnavailable, ProviderRefused */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderUnavailable || error instanceof ProviderRefused) throw error;
    if (isOutage(error)) throw new ProviderUnavailable(kindOf(error));
    throw new ProviderRefused(kindOf(error));
  }
}

/** What oauth4webapi throws of an answer that is one, and not a good one; anything else is a call that failed. */
function isOutage(error: unknown): boolean {
  if (error instanceof ProviderUnavailable) return true;
  if (error instanceof ProviderRefused) return false;
  if (error instanceof oauth.ResponseBodyError) return error.status >= 500;
  if (error instanceof oauth.OperationProcessingError) {
    const { cause } = error as { readonly cause?: unknown };
    return cause instanceof Response && cause.status >= 500;
  }
  return !(
    error instanceof oauth.AuthorizationResponseError ||
    error instanceof oauth.UnsupportedOperationError ||
    error instanceof oauth.WWWAuthenticateChallengeError
  );
}

/** What went wrong, by kind only: messages name hosts, addresses and values. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}

function handOn(
  query: URLSearchParams,
  { prompts, loginHint, uiLocales, maxAge, acrValues }: HandedOn,
): void {
  const prompt = HANDED_PROMPTS.filter((one) => prompts.includes(one));
  if (prompt.length > 0) query.set('prompt', prompt.join(' '));
  if (loginHint !== undefined) query.set('login_hint', loginHint);
  if (uiLocales.length > 0) query.set('ui_locales', uiLocales.join(' '));
  if (maxAge !== undefined) query.set('max_age', String(maxAge));
  if (acrValues.length > 0) query.set('acr_values', acrValues.join(' '));
}

function serverOf(protocol: OAuthProtocol): oauth.AuthorizationServer {
  return {
    issuer: new URL(protocol.authorizationEndpoint).origin,
    authorization_endpoint: protocol.authorizationEndpoint,
    token_endpoint: protocol.tokenEndpoint,
  };
}

/** jose says of an answer that is no key set, and of none, that it expected one; of a token that is not good it says why. */
function isKeysAway(error: errors.JOSEError): boolean {
  return error instanceof errors.JWKSTimeout || error.code === errors.JOSEError.code;
}

/** @throws ProviderRefused for a token of another kind: an ID token has a nonce or lacks the event (§2.6) */
function logoutOf(claims: JWTPayload, typ: string | undefined): ProviderLogout {
  const { events, nonce, sub, iat } = claims;
  if (typ !== undefined && !/^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ)) {
    throw new ProviderRefused('typ names another kind of token');
  }
  const event: unknown =
    typeof events === 'object' && events !== null ? Reflect.get(events, LOGOUT_EVENT) : undefined;
  if (typeof event !== 'object' || event === null) throw new ProviderRefused('it is no logout token');
  if (nonce !== undefined) throw new ProviderRefused('a logout token has no nonce');
  const session = sessionOf(claims['sid']);
  const subject = sub === undefined ? undefined : subjectOf(sub);
  if (subject === undefined && session === undefined) throw new ProviderRefused('it names nobody');
  return { subject, session, issuedAt: iat ?? 0 };
}

/** Undefined for what could not be kept. */
function sessionOf(value: unknown): string | undefined {
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= LONGEST_SUBJECT &&
    !value.includes('\u0000')
    ? value
    : undefined;
}

/** Two directories may call different people the same. */
function tenantSubject({ tid, sub }: { readonly tid?: unknown; readonly sub: string }): string | undefined {
  return typeof tid === 'string' && tid !== '' ? `${tid}/${sub}` : undefined;
}

/** @throws ProviderRefused for what nobody can be known by */
function subjectOf(value: unknown): string {
  const subject = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (
    typeof subject === 'string' &&
    subject !== '' &&
    subject.length <= LONGEST_SUBJECT &&
    !subject.includes('\u0000') &&
    !/\p{Cs}/u.test(subject)
  )
    return subject;
  throw new ProviderRefused('the subject is none');
}

/** Apple tells a name once, beside the code, by way of the browser: names are all that is taken from there. */
function namesFrom({ kind }: OAuthProvider, parameters: URLSearchParams): ExternalClaims {
  const user = kind === 'apple' ? parameters.get('user') : null;
  if (user === null) return {};
  try {
    const { name } = JSON.parse(user) as { name?: { firstName?: unknown; lastName?: unknown } };
    return { given_name: name?.firstName, family_name: name?.lastName };
  } catch {
    return {};
  }
}
