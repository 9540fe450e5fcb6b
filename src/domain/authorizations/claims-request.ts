/**
 * What the `claims` parameter of an authorization request asked for (OpenID Connect Core §5.5): names of user claims,
 * each of which is given where the user has it. What is not known is dropped when the parameter is read.
 */
export interface ClaimsRequest {
  /** Given by the userinfo endpoint to every access token of the grant. */
  readonly userinfo: readonly string[];
  /** Put into every ID token of the grant. */
  readonly idToken: readonly string[];
}
