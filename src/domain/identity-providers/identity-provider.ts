import { z } from 'zod';
import type { IdentityProviderId, OrgId } from '../shared/ids.js';
import { name } from '../shared/text-schemas.js';
import type { ClaimMapping } from './claim-mapping.js';
import { ldapSettings, type LdapDestination } from './ldap/ldap-kind.js';
import { OAUTH_SETTINGS, type OAuthDestination } from './oauth/oauth-kinds.js';
import { samlSettings, type SamlDestination } from './saml/saml-kind.js';

/**
 * The identity-providers module: external providers that users may sign in with. A provider belongs to an organization, whose own users it
 * signs in and no others, or to the instance, for every organization whose login policy names it. States: inactive ⇄ active.
 * `kind` says which protocol it speaks and which settings it has (kind-rules.ts); further protocols are further kinds.
 *
 * A user's identity at a provider is (provider, subject), and nothing else ever identifies a user: not their address,
 * which may be reassigned, and not their name.
 */
export const PROVIDER_SETTINGS = { ...OAUTH_SETTINGS, saml: samlSettings, ldap: ldapSettings };
export type ProviderKind = keyof typeof PROVIDER_SETTINGS;
export const PROVIDER_KINDS = Object.keys(PROVIDER_SETTINGS) as ProviderKind[];

export type ProviderState = 'active' | 'inactive';

/** Which kind, and what it needs to know. Each protocol has its kinds, settings and rules in a file of its own. */
export type ProviderDestination = OAuthDestination | SamlDestination | LdapDestination;

/** What is said of a provider, whichever its kind: bodies and answers of the API are made from it, and each is a column. */
export const providerTermsSchema = z.object({
  /** On the button. */
  name: name(),
  /** Whether somebody whom nobody here knows gets an account at their first sign-in. */
  allowCreation: z.boolean().default(false),
  /** Whether somebody with an account adds this identity to it. */
  allowLinking: z.boolean().default(true),
  /** Whether each sign-in brings profile, roles and metadata up to date. */
  updateOnSignIn: z.boolean().default(false),
  homeRealm: z.boolean().default(false).meta({
    description: "People with an address of the organization's verified domains are sent there.",
  }),
});
export type ProviderTerms = Readonly<z.output<typeof providerTermsSchema>>;

interface AnyProvider extends ProviderTerms {
  readonly id: IdentityProviderId;
  /** Null for one of the instance. */
  readonly orgId: OrgId | null;
  readonly mapping: ClaimMapping;
  /** Grows with each change. */
  readonly version: string;
}

/** Without its secret, which only what talks to the provider opens. */
export type IdentityProvider = AnyProvider & ProviderDestination;
export type OAuthProvider = AnyProvider & OAuthDestination;

type Planned<P> = P extends AnyProvider ? Omit<P, 'id' | 'orgId' | 'version'> : never;
/** What a provider is to be. */
export type IdentityProviderPlan = Planned<IdentityProvider>;
