/**
 * The two error families of the service. Domain code throws these and nothing else on purpose; each HTTP
 * surface has one filter that turns them into its wire form. An error of any other class is a fault of ours:
 * it is logged once under the request's id and shown to nobody.
 */

/**
 * Error codes of RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6, OpenID Connect Core Error Code
 * unmet_authentication_requirements 1.0, RFC 6750 §3.1, RFC 8693 §2.2.2, RFC 8628 §3.5,
 * RFC 9101 §7, RFC 9449 §5, §8, RFC 7591 §3.2.2.
 */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_token'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'interaction_required'
  | 'login_required'
  | 'account_selection_required'
  | 'consent_required'
  | 'unmet_authentication_requirements'
  | 'request_not_supported'
  | 'invalid_request_object'
  | 'request_uri_not_supported'
  | 'invalid_request_uri'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'invalid_software_statement'
  | 'unapproved_software_statement'
  | 'temporarily_unavailable'
  | 'server_error';

export class OAuthError extends Error {
  /**
   * @param code        what goes out as `error`
   * @param description what goes out as `error_description`: ASCII without `"` and `\` (RFC 6749 §5.2)
   * @param reason      for the log only: the private cause, never a secret
   */
  constructor(
    readonly code: OAuthErrorCode,
    readonly description: string,
    readonly reason?: string,
  ) {
    super(`${code}: ${description}`);
    this.name = 'OAuthError';
  }
}

const PARAMETER_FAULTS = {
  missing: 'missing',
  repeated: 'must not be repeated',
  unknown: 'is unknown',
  inactive: 'belongs to an inactive application',
  'not-registered': 'is not registered for this application',
  'needs-dev-mode': 'is not registered for this application; it needs devMode',
  'of-another-application': 'does not match azp of id_token_hint',
  'of-another-issuer': 'is not an ID token of this issuer',
  invalid: 'is invalid',
} as const;

/** What is wrong with a parameter; our own pages say it in the reader's language, under the same name. */
export type ParameterFault = keyof typeof PARAMETER_FAULTS;

/** An `invalid_request` over one parameter. To programs it goes out in English, like every description. */
export class ParameterError extends OAuthError {
  /** @param parameter its name, printable ASCII */
  constructor(
    readonly parameter: string,
    readonly fault: ParameterFault,
  ) {
    super('invalid_request', `${parameter} ${PARAMETER_FAULTS[fault]}`);
  }
}

/** An OAuth error of somebody whose request is in order and who may not do what it asks: 403 rather than 400. */
export class OAuthForbiddenError extends OAuthError {}

/** Kinds of API errors; the filter maps each to a gRPC code and an HTTP status (protocol §0.2). */
export type ApiErrorKind =
  | 'invalid-argument'
  | 'not-found'
  | 'already-exists'
  | 'permission-denied'
  | 'failed-precondition'
  | 'precondition-failed'
  | 'aborted'
  | 'unprocessable'
  | 'resource-exhausted'
  | 'storage-full'
  | 'unauthenticated'
  | 'deadline-exceeded'
  | 'unavailable'
  | 'method-not-allowed';

export class ApiError extends Error {
  /**
   * @param kind   decides status and code
   * @param text   sentence for people, names the field or rule, holds no value that could be a secret
   * @param id     stable error id such as `V3-DKcYh`; undefined for errors that carry no `details`
   */
  constructor(
    readonly kind: ApiErrorKind,
    readonly text: string,
    readonly id?: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(id === undefined ? text : `${text} (${id})`);
    this.name = 'ApiError';
  }
}

/** A refusal whose challenge (WWW-Authenticate) says more than its text. */
export abstract class ChallengingError extends ApiError {
  abstract readonly challenge: string;
}

const INVALID_TOKEN = 'AUTH-7fs1e';

/** Unknown, over, of another kind or meant for something else: all look the same. */
export function tokenInvalid(): ApiError {
  return new ApiError('unauthenticated', 'Errors.Token.Invalid', INVALID_TOKEN);
}

export function authHeaderMissing(): ApiError {
  return new ApiError('unauthenticated', 'auth header missing');
}

export function authHeaderInvalid(): ApiError {
  return new ApiError('unauthenticated', 'invalid auth header', 'AUTH-toLo1');
}

/** A token that came without the proof that it needs, or with one that does not hold (RFC 9449 §7.1). */
export class ProofRefused extends ChallengingError {
  constructor(
    text: string,
    override readonly challenge: string,
  ) {
    super('unauthenticated', text, INVALID_TOKEN);
    this.name = 'ProofRefused';
  }
}

/**
 * The user must sign in again before this is done (RFC 9470): the challenge names the step-up and how recent the
 * sign-in has to be, so that a client can ask for it with `max_age`.
 */
export class AuthenticationTooOld extends ChallengingError {
  /** @param acr the class that the sign-in has to be of, where any will not do */
  constructor(
    readonly maxAgeSeconds: number,
    readonly acr?: string,
  ) {
    const how = acr === undefined ? 'sign in again' : 'sign in with a second factor';
    super('unauthenticated', `${how}, not more than ${maxAgeSeconds} seconds ago`, 'AUTH-9Sk3f');
    this.name = 'AuthenticationTooOld';
  }

  /** RFC 9470 §3. */
  override get challenge(): string {
    const acr = this.acr === undefined ? '' : `, acr_values="${this.acr}"`;
    return `Bearer error="insufficient_user_authentication", error_description="${this.text}"${acr}, max_age="${this.maxAgeSeconds}"`;
  }
}
