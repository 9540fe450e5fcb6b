import { ApiError } from '../shared/errors.js';
import { servedAlgorithms, type KeySettings } from '../signing-keys/key-settings.js';
import type { SigningAlgorithm } from '../signing-keys/signing-key.js';
import { calledUriProblem } from './called-uri.js';
import { frontChannelUriProblem } from './front-channel.js';
import { initiateLoginUriProblem } from './initiate-login-uri.js';
import type { ApiConfig, OidcConfig } from './oidc-config.js';
import { redirectUriProblem } from './redirect-uri.js';
import { requestUriProblem } from './request-uri.js';
import { sectorProblem } from './sector-identifier.js';
import { profileProblem } from './security-profile.js';
import { tlsSubjectProblem } from './tls-subject.js';

/** A token is bound to one thing: which, nobody should have to guess. */
export const BOUND_TWICE = 'must not stand beside dpopBoundAccessTokens';

/** What an OpenID Connect client may register. @throws ApiError invalid-argument naming the field and the rule it breaks */
export function requireRules(config: OidcConfig): void {
  requireUris(config);
  requireKeysAddress(config, config.devMode);
  const unsectored = sectorProblem(config);
  if (unsectored !== undefined) throw new ApiError('invalid-argument', `sectorIdentifierUri ${unsectored}`);
  requireTlsSubject(config);
  if (config.tlsClientCertificateBoundAccessTokens && config.dpopBoundAccessTokens) {
    throw new ApiError('invalid-argument', `tlsClientCertificateBoundAccessTokens ${BOUND_TWICE}`);
  }
  // keys are those that it authenticates with
  if (config.requireSignedRequestObject && config.authMethod !== 'private_key_jwt') {
    throw new ApiError(
      'invalid-argument',
      'requireSignedRequestObject is for the method private_key_jwt alone',
    );
  }
  const broken = profileProblem(config);
  if (broken === undefined) return;
  // the API's name of it
  const field = broken.field === 'authMethod' ? 'authMethodType' : broken.field;
  throw new ApiError('invalid-argument', `${field} ${broken.problem}`);
}

/**
 * What userinfo is signed with must be served here. What is on file may stay: it is the instance's earlier one, and whoever
 * read it may send it back.
 * @throws ApiError invalid-argument
 */
export function requireServedAlgorithm(
  { userinfoAlgorithm: wanted }: Pick<OidcConfig, 'userinfoAlgorithm'>,
  settings: Pick<KeySettings, 'algorithm'>,
  before: SigningAlgorithm | null = null,
): void {
  const served = servedAlgorithms(settings);
  if (wanted === null || wanted === before || served.includes(wanted)) return;
  throw new ApiError('invalid-argument', `userinfoSignedResponseAlg must be ${served.join(' or ')}`);
}

/** The same of an API. @throws ApiError invalid-argument */
export function requireApiRules(config: ApiConfig): void {
  requireKeysAddress(config);
  requireTlsSubject(config);
}

function requireTlsSubject(config: ApiConfig | OidcConfig): void {
  const name = tlsSubjectProblem(config);
  if (name !== undefined) throw new ApiError('invalid-argument', `${name.field} ${name.problem}`);
}

function requireKeysAddress({ jwksUri, authMethod }: ApiConfig | OidcConfig, devMode = false): void {
  if (jwksUri === null) return;
  if (authMethod !== 'private_key_jwt') {
    throw new ApiError('invalid-argument', 'jwksUri is for the method private_key_jwt alone');
  }
  const problem = calledUriProblem(jwksUri, devMode);
  if (problem !== undefined) throw new ApiError('invalid-argument', `jwksUri ${problem}`);
}

function requireUris({
  redirectUris,
  postLogoutRedirectUris,
  additionalOrigins,
  backChannelLogoutUri,
  frontChannelLogoutUri,
  initiateLoginUri,
  requestUris,
  appType,
  devMode,
}: OidcConfig): void {
  requireEach('redirectUris', redirectUris, (uri) => redirectUriProblem(uri, appType, devMode));
  requireEach('postLogoutRedirectUris', postLogoutRedirectUris, (uri) =>
    redirectUriProblem(uri, appType, devMode),
  );
  requireEach('additionalOrigins', additionalOrigins, originProblem);
  requireEach('requestUris', requestUris, requestUriProblem);
  const problem = backChannelLogoutUri === null ? undefined : calledUriProblem(backChannelLogoutUri, devMode);
  if (problem !== undefined) throw new ApiError('invalid-argument', `backChannelLogoutUri ${problem}`);
  const inFront =
    frontChannelLogoutUri === null
      ? undefined
      : frontChannelUriProblem(frontChannelLogoutUri, { appType, devMode, redirectUris });
  if (inFront !== undefined) throw new ApiError('invalid-argument', `frontChannelLogoutUri ${inFront}`);
  const beginning =
    initiateLoginUri === null ? undefined : initiateLoginUriProblem(initiateLoginUri, devMode);
  if (beginning !== undefined) throw new ApiError('invalid-argument', `initiateLoginUri ${beginning}`);
}

function requireEach(
  field: string,
  values: readonly string[],
  problemOf: (value: string) => string | undefined,
): void {
  values.forEach((value, index) => {
    const problem = problemOf(value);
    if (problem !== undefined) throw new ApiError('invalid-argument', `${field}[${index}] ${problem}`);
  });
}

/** Browsers send an origin in exactly one spelling, and it is compared as a string. */
function originProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not an origin such as https://app.example.com';
  const { origin, protocol } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must start with https:// or http://';
  return text === origin ? undefined : `must be written as ${origin}`;
}
