import type { AttemptPolicy } from '../passwords/attempts/attempt-policy.js';
import type { PasswordPolicy } from '../passwords/password-policy.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { BrandingPolicy } from './branding-policy.js';
import type { FactorPolicy } from './factor-policy.js';
import type { LoginPolicy } from './login-policy.js';
import type { Logo, LogoName } from './logo.js';

/** A policy that an organization has set. One that never did has none, and the defaults hold. */
export interface StoredPolicy<Policy> {
  readonly policy: Policy;
  readonly details: ResourceDetails;
}

/** How long tokens live that an organization's applications get; what is left out is as the service is configured. */
export interface TokenPolicy {
  readonly accessTokenSeconds?: number | undefined;
  readonly idTokenSeconds?: number | undefined;
  readonly refreshIdleSeconds?: number | undefined;
  readonly refreshAbsoluteSeconds?: number | undefined;
}

/** What an organization decides for itself. */
export interface PolicyKinds {
  readonly login: LoginPolicy;
  readonly password: PasswordPolicy;
  readonly lockout: AttemptPolicy;
  readonly token: TokenPolicy;
  readonly factor: FactorPolicy;
  readonly branding: BrandingPolicy;
}
export type PolicyKind = keyof PolicyKinds;

/** What the instance allows. */
export interface SecuritySettings {
  readonly enableImpersonation: boolean;
}

/** Nobody acts for another unless an instance owner has allowed it. */
export const defaultSecuritySettings: SecuritySettings = { enableImpersonation: false };

/** The instance's settings, each by itself; answers name the default organization as their owner. */
export interface InstanceSettings {
  /**
   * Lifetimes of tokens, for organizations that decided nothing. What is left out is as the service is configured.
   * Issuing gets it with the application, in the round trip that finds that.
   */
  readonly oidc: TokenPolicy;
  readonly security: SecuritySettings;
  /** For organizations that decided nothing. */
  readonly factor: FactorPolicy;
}
export type InstanceSettingsKind = keyof InstanceSettings;

/** What organizations and the instance have decided for themselves. */
export abstract class PoliciesStore {
  /** Undefined for an organization that has set none, or reset it. */
  abstract find<Kind extends PolicyKind>(
    kind: Kind,
    orgId: OrgId,
    tx?: Tx,
  ): Promise<StoredPolicy<PolicyKinds[Kind]> | undefined>;

  /**
   * Reads it and keeps it from everybody else until the transaction ends, whether it was set or not: two who replace it
   * at once do so one after the other, and each knows what it replaced.
   */
  abstract lockForUpdate<Kind extends PolicyKind>(
    tx: Tx,
    kind: Kind,
    orgId: OrgId,
  ): Promise<PolicyKinds[Kind] | undefined>;

  /**
   * After `lockForUpdate` in the same transaction. @param isSet false for one that is reset to `policy`, the defaults
   */
  abstract replace<Kind extends PolicyKind>(
    tx: Tx,
    kind: Kind,
    orgId: OrgId,
    policy: PolicyKinds[Kind],
    isSet: boolean,
  ): Promise<ResourceDetails>;

  /**
   * Whether one of the organization's own providers is the one for its domains. Nobody else decides where those lead until the
   * transaction ends.
   */
  abstract lockHomeRealm(tx: Tx, orgId: OrgId): Promise<boolean>;

  /** Undefined for a provider that the instance does not have. */
  abstract findInstanceProviderState(id: string, tx?: Tx): Promise<'active' | 'inactive' | undefined>;

  /** The picture that some organization has now under this name. */
  abstract findLogo(name: LogoName): Promise<Logo | undefined>;

  /** The instance's own; undefined as long as nobody has set any. */
  abstract findSettings<Kind extends InstanceSettingsKind>(
    kind: Kind,
  ): Promise<StoredPolicy<InstanceSettings[Kind]> | undefined>;

  /** Keeps the settings from everybody else until the transaction ends; undefined as long as nobody has set any. */
  abstract lockSettings<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
  ): Promise<InstanceSettings[Kind] | undefined>;

  /** After `lockSettings` in the same transaction. */
  abstract replaceSettings<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
    settings: InstanceSettings[Kind],
  ): Promise<ResourceDetails>;
}
