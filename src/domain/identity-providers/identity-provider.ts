import type { IdentityProviderId, OrgId } from '../shared/ids.js';
import type { ClaimMapping } from './claim-mapping.js';
import type { LdapDestination } from './ldap/ldap-kind.js';
import { OAUTH_KINDS, type OAuthDestination } from './oauth/oauth-kinds.js';
import type { SamlDestination } from './saml/saml-kind.js';

/**
 * The identity-providers module: whoever else people may sign in with. A provider is an organization's, whose own users it
 * signs in and no others, or the instance's, for every organization whose login policy names it. States: inactive ⇄ active.
 * `kind` says which protocol it speaks and which settings it has (kind-rules.ts); further protocols are further kinds.
 *
 * A user's identity at a provider is (provider, subject), and nothing else ever tells who somebody is: not their address,
 * which others hand out again, and not their name.
 */
export const PROVIDER_KINDS = [...OAUTH_KINDS, 'saml', 'ldap'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export type ProviderState = 'active' | 'inactive';

/** Which kind, and what it needs to know. Each protocol has its kinds, settings and rules in a file of its own. */
export type ProviderDestination = OAuthDestination | SamlDestination | LdapDestination;

interface AnyProvider {
  readonly id: IdentityProviderId;
  /** Null for one of the instance. */
  readonly orgId: OrgId | null;
  /** On the button. */
  readonly name: string;
  readonly mapping: ClaimMapping;
  /** Whether somebody whom nobody here knows gets an account at their first sign-in. */
  readonly allowCreation: boolean;
  /** Whether somebody with an account adds this identity to it. */
  readonly allowLinking: boolean;
  /** Whether each sign-in brings profile, roles and metadata up to date. */
  readonly updateOnSignIn: boolean;
  /** Whether people with an address of the organization's domains are sent there. */
  readonly homeRealm: boolean;
  /** Grows with each change. */
  readonly version: string;
}

/** Without its secret, which only what talks to the provider opens. */
export type IdentityProvider = AnyProvider & ProviderDestination;
export type OAuthProvider = AnyProvider & OAuthDestination;

type Planned<P> = P extends AnyProvider ? Omit<P, 'id' | 'orgId' | 'version'> : never;
/** What a provider is to be. */
export type IdentityProviderPlan = Planned<IdentityProvider>;
