import type { AttemptPolicy } from '../passwords/attempt-policy.js';
import type { PasswordPolicy } from '../passwords/password-policy.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { LoginPolicy } from './login-policy.js';
import type { StoredPolicy } from './policies.store.js';
import type { TokenPolicy } from './token-policy.js';

/** Policies that a row of plain columns holds. */
export interface SecurityPolicyKinds {
  readonly login: LoginPolicy;
  readonly password: PasswordPolicy;
  readonly lockout: AttemptPolicy;
  readonly token: TokenPolicy;
}
export type SecurityPolicyKind = keyof SecurityPolicyKinds;

export abstract class SecurityPoliciesStore {
  /** Undefined for an organization that has set none, or reset it. */
  abstract find<Kind extends SecurityPolicyKind>(
    kind: Kind,
    orgId: OrgId,
    tx?: Tx,
  ): Promise<StoredPolicy<SecurityPolicyKinds[Kind]> | undefined>;

  /** Reads it and keeps it from everybody else until the transaction ends, whether it was set or not. */
  abstract lockForUpdate<Kind extends SecurityPolicyKind>(
    tx: Tx,
    kind: Kind,
    orgId: OrgId,
  ): Promise<SecurityPolicyKinds[Kind] | undefined>;

  /**
   * After `lockForUpdate` in the same transaction. @param isSet false for one that is reset to `policy`, the defaults
   */
  abstract replace<Kind extends SecurityPolicyKind>(
    tx: Tx,
    kind: Kind,
    orgId: OrgId,
    policy: SecurityPolicyKinds[Kind],
    isSet: boolean,
  ): Promise<ResourceDetails>;
}
