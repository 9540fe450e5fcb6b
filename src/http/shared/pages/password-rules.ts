import { Injectable } from '@nestjs/common';
import { InstanceStore } from '../../../domain/organizations/instance.store.js';
import type { PasswordRuleName } from '../../../domain/passwords/password-policy.js';
import { BreachedPasswords } from '../../../domain/passwords/strength/breached-passwords.js';
import { PasswordPolicies } from '../../../domain/policies/security-policy.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { PasswordRules } from '../../../pages/new-password-part.js';

/** What pages say about a new password: the rules of an organization. */
@Injectable()
export class OrganizationRules {
  constructor(
    private readonly policies: PasswordPolicies,
    private readonly instance: InstanceStore,
    private readonly breached: BreachedPasswords,
  ) {}

  /** @param orgId undefined if no organization may be revealed: then the default one's */
  async find(orgId: OrgId | undefined): Promise<PasswordRules> {
    const policy = await this.policies.find(await this.organization(orgId));
    const { minLength, upperCase, lowerCase, number, symbol } = policy;
    return {
      minLength,
      upperCase,
      lowerCase,
      number,
      symbol,
      unguessable: true,
      unbreached: this.breached.isAsked,
    };
  }

  /** Whose rules `find` gives. */
  async organization(orgId: OrgId | undefined): Promise<OrgId> {
    return orgId ?? (await this.instance.read()).defaultOrgId;
  }
}

const RULE_FIELDS: Readonly<Record<PasswordRuleName, keyof PasswordRules>> = {
  length: 'minLength',
  'upper-case': 'upperCase',
  'lower-case': 'lowerCase',
  number: 'number',
  symbol: 'symbol',
  unguessable: 'unguessable',
  unbreached: 'unbreached',
};

/** Rules that a password missed, as pages mark them. */
export function unmetRules(missed: readonly PasswordRuleName[]): readonly (keyof PasswordRules)[] {
  return missed.map((rule) => RULE_FIELDS[rule]);
}
