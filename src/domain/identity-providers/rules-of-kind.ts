import type { ProviderDestination } from './identity-provider.js';
import type { KindRules } from './kind-rules.js';
import { ldapRules } from './ldap/ldap-rules.js';
import { oauthRules } from './oauth/oauth-rules.js';
import { samlRules } from './saml/saml-rules.js';

export function rulesOf(plan: ProviderDestination): KindRules {
  if (plan.kind === 'ldap') return ldapRules(plan);
  return plan.kind === 'saml' ? samlRules(plan) : oauthRules(plan);
}
