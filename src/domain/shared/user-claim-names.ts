/**
 * Every claim about the user that a scope or the claims parameter can ask for (OpenID Connect Core §5.1). What answers them is
 * `tokens/claims/user-claims.ts`; what keeps others from adding them is `claims-webhook/added-claims.ts`, which tokens ask.
 */
export const USER_CLAIMS: readonly string[] = (
  'name given_name family_name middle_name nickname preferred_username profile picture website gender birthdate ' +
  'zoneinfo locale updated_at email email_verified phone_number phone_number_verified address'
).split(' ');
