import { gives } from '../../applications/oidc-config.js';
import { OAuthError } from '../../shared/errors.js';
import { scopeBeyond } from '../../tokens/scopes/allowed-scopes.js';
import { readReservedScopes } from '../../tokens/scopes/reserved-scopes.js';
import { knownScopes, parseScopes } from '../../tokens/scopes/scopes.js';
import type { Check } from './check.js';

/** Scope must be well-formed and include openid; unknown scopes are ignored (OpenID Connect Core §3.1.2.1). */
export const requireOpenidScope: Check = ({ parameters, application, found }) => {
  const scopes = parseScopes(parameters.get('scope') ?? '');
  if (scopes === undefined) throw new OAuthError('invalid_scope', 'scope is malformed');
  if (!scopes.includes('openid')) throw new OAuthError('invalid_scope', 'scope must include openid');
  if (readReservedScopes(scopes).organizations.length > 1) {
    throw new OAuthError('invalid_scope', 'Only one organization scope may be provided');
  }
  const beyond = scopeBeyond(application, knownScopes(scopes));
  if (beyond !== undefined)
    throw new OAuthError('invalid_scope', `scope ${beyond} is not allowed for this client`);
  // what the application cannot redeem is not granted either, and without a code there is nothing to redeem (§11)
  const mayRefresh = gives(found.responseType, 'code') && application.grantTypes.includes('refresh_token');
  return { scopes: knownScopes(scopes).filter((scope) => scope !== 'offline_access' || mayRefresh) };
};
