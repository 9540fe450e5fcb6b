import { isClientId, type BrowserApplication } from '../../applications/application.js';
import { gives } from '../../applications/oidc-config.js';
import { isRegisteredRedirectUri, needsDevMode } from '../../applications/redirect-uri.js';
import { needsPkce, signsMessages } from '../../applications/security-profile.js';
import { DEVICE_CODE_GRANT } from '../../device-authorizations/device-authorization.js';
import { ParameterError, type OAuthError } from '../../shared/errors.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import { partsOfMode, type AuthorizationRequest } from '../auth-request.js';
import type { TakenRequest } from '../auth-requests.store.js';
import type { Check, Finding } from '../checks/check.js';
import { readAcrValues } from '../checks/read-acr-values.js';
import { readClaims } from '../checks/read-claims.js';
import { readDpopJkt } from '../checks/read-dpop-jkt.js';
import { readMaxAge } from '../checks/read-max-age.js';
import { readHints, readOpaqueValues } from '../checks/read-opaque-values.js';
import { readPrompt } from '../checks/read-prompt.js';
import { rejectRepeatedParameters } from '../checks/reject-repeated-parameters.js';
import { rejectRequestObject } from '../checks/reject-request-object.js';
import { requireNonce } from '../checks/require-nonce.js';
import { requireOpenidScope } from '../checks/require-openid-scope.js';
import { requirePkce } from '../checks/require-pkce.js';
import { requireResponseMode } from '../checks/require-response-mode.js';
import { isEnabledResponseType, requireResponseType } from '../checks/require-response-type.js';
import { SERVED_BY_ALL, type ServedResponses } from '../checks/served-responses.js';

/**
 * The authorization endpoint judges a request in two phases (RFC 6749 §4.1.2.1). Until client and redirect URI are
 * verified, an error is shown to the user; afterwards it travels to the client. The phase decides that, not the error.
 */

/** Where phase two sends its errors. */
export interface VerifiedClient {
  readonly application: BrowserApplication;
  readonly redirectUri: string;
  /** What a request object has said (RFC 9101), in place of what came outside it. */
  readonly parameters?: OAuthParameters;
  /** Why there is nothing at the address where a request object should be. */
  readonly refusal?: OAuthError;
  /** The whole request, where the application has pushed it: it was validated then. */
  readonly pushed?: TakenRequest;
}

/**
 * Phase one. @throws ParameterError to be shown, never redirected
 */
export async function verifyClient(
  parameters: OAuthParameters,
  findApplication: (clientId: string) => Promise<BrowserApplication | undefined>,
): Promise<VerifiedClient> {
  for (const name of ['client_id', 'redirect_uri']) {
    if (parameters.isRepeated(name)) throw new ParameterError(name, 'repeated');
  }
  const application = await requireApplication(parameters, findApplication);
  return { application, redirectUri: requireRedirectUri(parameters, application) };
}

/** @throws ParameterError */
export async function requireApplication(
  parameters: OAuthParameters,
  findApplication: (clientId: string) => Promise<BrowserApplication | undefined>,
): Promise<BrowserApplication> {
  const clientId = parameters.require('client_id');
  const application = isClientId(clientId) ? await findApplication(clientId) : undefined;
  if (application === undefined) throw new ParameterError('client_id', 'unknown');
  if (!application.active) throw new ParameterError('client_id', 'inactive');
  return application;
}

/** @throws ParameterError */
export function requireRedirectUri(parameters: OAuthParameters, application: BrowserApplication): string {
  const redirectUri = parameters.require('redirect_uri');
  if (!isRegisteredRedirectUri(redirectUri, application.redirectUris, application.appType)) {
    const lacksDevMode = !application.devMode && needsDevMode(redirectUri, application.appType);
    throw new ParameterError('redirect_uri', lacksDevMode ? 'needs-dev-mode' : 'not-registered');
  }
  return redirectUri;
}

/**
 * Phase two, in this order. Request objects come first: what stands inside one must not be missed outside it.
 */
const CHECKS: readonly Check[] = [
  rejectRequestObject,
  rejectRepeatedParameters,
  requireResponseType,
  requireResponseMode,
  readOpaqueValues,
  requireOpenidScope,
  requireNonce,
  requirePkce,
  readDpopJkt,
  readPrompt,
  readMaxAge,
  readAcrValues,
  readClaims,
  readHints,
];

/**
 * Phase two. @throws OAuthError to be sent to the redirect URI
 *
 * @param served response types and modes of the instance
 */
export function validateRequest(
  parameters: OAuthParameters,
  client: VerifiedClient,
  served: ServedResponses = SERVED_BY_ALL,
): AuthorizationRequest {
  const { application, redirectUri } = client;
  let found: Finding = {};
  for (const check of CHECKS) {
    found = { ...found, ...check({ parameters, application, redirectUri, served, found }) };
  }
  return {
    responseType: 'code',
    responseMode: 'query',
    scopes: [],
    prompts: [],
    uiLocales: [],
    ...found,
    applicationId: application.id,
    redirectUri,
  };
}

/**
 * Whether a request that was found good once would still be: its application may have been switched off, or have lost the
 * redirect URI or the response type, or have to be answered by a JWT, to push its requests or to use PKCE, while the person was signing in. What an
 * owner takes away must not be answered.
 */
export function isStillServed(
  request: AuthorizationRequest,
  application: BrowserApplication | undefined,
): application is BrowserApplication {
  if (request.deviceAuthorizationId !== undefined) {
    return application?.active === true && application.grantTypes.includes(DEVICE_CODE_GRANT);
  }
  return (
    application?.active === true &&
    isRegisteredRedirectUri(request.redirectUri, application.redirectUris, application.appType) &&
    isEnabledResponseType(request.responseType, application) &&
    (partsOfMode(request.responseMode).asJwt || !signsMessages(application)) &&
    (request.pushed === true || !application.requirePushedAuthorizationRequests) &&
    (request.codeChallenge !== undefined || !gives(request.responseType, 'code') || !needsPkce(application))
  );
}
