import type { ProviderKind } from './identity-provider.js';

/**
 * What comes of asking a provider that somebody show there once more who they are.
 *
 * - `proven`: it says when they signed in, and an answer that does not is refused (`auth_time`, `AuthnInstant`); or the form is ours.
 * - `asked`: it takes `prompt=login`, and need not say that it has asked anybody.
 * - `none`: it answers by a session of its own. OAuth 2.0 has no word for it; Google, Apple and LinkedIn have none.
 */
type Reauthentication = 'proven' | 'asked' | 'none';

const REAUTHENTICATION: Readonly<Record<ProviderKind, Reauthentication>> = {
  oidc: 'proven',
  saml: 'proven',
  ldap: 'proven',
  microsoft: 'asked',
  gitlab: 'asked',
  google: 'none',
  apple: 'none',
  linkedin: 'none',
  github: 'none',
  oauth2: 'none',
};

export function reauthenticationBy(kind: ProviderKind): Reauthentication {
  return REAUTHENTICATION[kind];
}
