import type { LoginPolicy } from '../policies/login-policy.js';
import type { ResourceDetails } from '../shared/details.js';
import type { IdentityProviderId, OrgId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type {
  IdentityProvider,
  IdentityProviderPlan,
  ProviderKind,
  ProviderState,
} from './identity-provider.js';
import type { Expiring, ExpiringRows } from './warn-of-expiry.js';

/** A provider as administrators see it. */
export interface IdentityProviderRecord {
  readonly provider: IdentityProvider;
  readonly state: ProviderState;
  readonly hasSecret: boolean;
  readonly details: ResourceDetails;
}

/** Which one, and whose: null for the instance's. */
export interface IdentityProviderPlace {
  readonly orgId: OrgId | null;
  readonly id: IdentityProviderId;
}

/** The one secret of a provider: set, taken away, or left as it is. */
export type ProviderSecretChange = { readonly set: string } | 'none' | 'keep';

/** A button. */
export interface OfferedProvider {
  readonly id: IdentityProviderId;
  readonly kind: ProviderKind;
  readonly name: string;
  readonly homeRealm: boolean;
}

/** A provider that people with an address of an organization's domain are sent to. */
export interface HomeRealm {
  /** Whose domain it is. */
  readonly orgId: OrgId;
  /** One of the organization, or one of the instance that its login policy names. */
  readonly id: IdentityProviderId;
  readonly kind: ProviderKind;
  readonly name: string;
}

/** What a sign-in page shows of an organization. */
export interface SignInTerms {
  readonly policy: LoginPolicy;
  /** Usable right now, oldest first. */
  readonly providers: readonly OfferedProvider[];
}

/** Identity providers of organizations and of the instance, with their secrets, and what a sign-in page needs to know of them. */
export abstract class IdentityProvidersStore implements ExpiringRows {
  abstract list(orgId: OrgId | null, query: PageQuery): Promise<Page<IdentityProviderRecord>>;

  /** @param tx of the transaction that asks, so that it waits for no second connection */
  abstract find(place: IdentityProviderPlace, tx?: Tx): Promise<IdentityProviderRecord | undefined>;

  /** Locked until the transaction ends. */
  abstract lockForUpdate(tx: Tx, place: IdentityProviderPlace): Promise<IdentityProviderRecord | undefined>;

  /**
   * Inactive until somebody activates it. The secret is sealed.
   * @throws ApiError already-exists where the organization sends its domains elsewhere already
   */
  abstract add(
    tx: Tx,
    orgId: OrgId | null,
    plan: IdentityProviderPlan,
    secret: string | undefined,
  ): Promise<{ readonly id: IdentityProviderId; readonly details: ResourceDetails }>;

  /** @throws ApiError as `add` */
  abstract replace(
    tx: Tx,
    place: IdentityProviderPlace,
    plan: IdentityProviderPlan,
    secret: ProviderSecretChange,
  ): Promise<ResourceDetails | undefined>;

  /** @returns undefined when there is none, or it is in that state */
  abstract setState(
    tx: Tx,
    place: IdentityProviderPlace,
    state: ProviderState,
  ): Promise<ResourceDetails | undefined>;

  /** With all identities of it. */
  abstract remove(tx: Tx, place: IdentityProviderPlace): Promise<ResourceDetails | undefined>;

  /**
   * The login policy of an organization, and the providers that it lets people sign in with: one statement, in place of the
   * one that reads the policy.
   */
  abstract findTerms(orgId: OrgId): Promise<SignInTerms>;

  /**
   * An active one that people sign in with: by its own organization's policy, or, of the instance, by that of `orgId`, where
   * they want to sign in.
   */
  abstract findUsable(orgId: OrgId, id: IdentityProviderId): Promise<IdentityProvider | undefined>;

  /** One that is active, whoever may use it. */
  abstract findActive(id: IdentityProviderId): Promise<IdentityProvider | undefined>;

  /** Whose it is does not matter: what it has for everybody to read. */
  abstract findAny(id: IdentityProviderId): Promise<IdentityProvider | undefined>;

  /** To whom people with an address of this domain are sent: only for a domain that the organization has verified. */
  abstract findHomeRealm(domain: string): Promise<HomeRealm | undefined>;

  /** Those that are active and read their metadata by an address: the next `limit` after one. */
  abstract listRead(
    after: IdentityProviderId | undefined,
    limit: number,
  ): Promise<readonly IdentityProviderPlace[]>;

  abstract markExpiring(tx: Tx, withinDays: number, limit: number): Promise<readonly Expiring[]>;

  abstract countExpiring(withinDays: number): Promise<number>;

  /**
   * Whether a provider is used in the organization, or one of the instance is active, there are people among its owners, and
   * none of them has a password or a passkey to sign in with while the provider is away.
   */
  abstract ownersRelyOnProviders(orgId: OrgId | null): Promise<boolean>;

  abstract openSecret(id: IdentityProviderId): Promise<string | undefined>;
}
