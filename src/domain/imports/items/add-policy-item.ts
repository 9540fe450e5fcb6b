import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { BrandingPolicies } from '../../policies/branding-policies.js';
import type { BrandingPolicy } from '../../policies/branding-policy.js';
import { FactorPolicies } from '../../policies/factor-policies.js';
import { LoginPolicies } from '../../policies/login-policies.js';
import { logoOf } from '../../policies/logo.js';
import { PoliciesStore } from '../../policies/policies.store.js';
import {
  LockoutPolicies,
  PasswordPolicies,
  type SecurityPolicy,
  type SecurityPolicyKind,
} from '../../policies/security-policy.js';
import { ApiError } from '../../shared/errors.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { BrandingFields } from '../records/organization-items.js';
import type { Added, Item, ItemPlace } from './item.js';

/** The policies of an organization: what it says where the instance's would hold. */
@Injectable()
export class AddPolicyItem {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly passwordPolicies: PasswordPolicies,
    private readonly lockoutPolicies: LockoutPolicies,
    private readonly loginPolicies: LoginPolicies,
    private readonly factorPolicies: FactorPolicies,
    private readonly brandingPolicies: BrandingPolicies,
  ) {}

  /** @throws ApiError already-exists where the organization has another one */
  async execute(
    tx: Tx,
    place: ItemPlace,
    item: Item<
      | 'password_complexity_policy'
      | 'lockout_policy'
      | 'login_policy'
      | 'factor_policy'
      | 'label_policy'
      | 'privacy_policy'
    >,
  ): Promise<Added> {
    switch (item.type) {
      case 'password_complexity_policy':
        return await this.policy(tx, place, 'password', this.passwordPolicies, item.policy);
      case 'lockout_policy':
        return await this.policy(tx, place, 'lockout', this.lockoutPolicies, item.policy);
      case 'login_policy':
        return await this.policy(tx, place, 'login', this.loginPolicies, item.policy);
      case 'factor_policy':
        return await this.policy(tx, place, 'factor', this.factorPolicies, item.policy);
      case 'label_policy':
      case 'privacy_policy':
        return await this.branding(tx, place, item.policy);
    }
  }

  private async policy<Kind extends SecurityPolicyKind>(
    tx: Tx,
    place: ItemPlace,
    kind: Kind,
    policies: SecurityPolicy<Kind>,
    policy: Parameters<SecurityPolicy<Kind>['replace']>[2],
  ): Promise<Added> {
    const stored = await this.policies.find(kind, place.orgId, tx);
    if (stored === undefined) {
      await policies.replace(tx, place.orgId, policy, place);
      return 'added';
    }
    if (isDeepStrictEqual({ ...stored.policy }, { ...policy })) return 'there';
    throw new ApiError('already-exists', 'Policy already exists', 'V3-DKcYh');
  }

  /** Two policies on the wire are one of ours: each says its part of it. */
  private async branding(tx: Tx, { orgId, actorId }: ItemPlace, fields: BrandingFields): Promise<Added> {
    const before = (await this.policies.lockForUpdate(tx, 'branding', orgId)) ?? {};
    const given = brandingOf(fields);
    const known = Object.entries(given).filter(([name]) => name in before);
    if (known.some(([name, value]) => !isDeepStrictEqual(value, before[name as keyof BrandingPolicy]))) {
      throw new ApiError('already-exists', 'Policy already exists', 'V3-DKcYh');
    }
    if (known.length === Object.keys(given).length) return 'there';
    await this.brandingPolicies.replace(tx, orgId, { ...before, ...given }, actorId);
    return 'added';
  }
}

function brandingOf({ logo, ...fields }: BrandingFields): BrandingPolicy {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const picture = logo === undefined ? undefined : logoOf(Buffer.from(logo, 'base64'));
  return { ...Object.fromEntries(given), ...(picture && { logo: picture }) };
}
