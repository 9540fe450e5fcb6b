import { Injectable } from '@nestjs/common';
import { BrandingPolicies } from '../../domain/policies/branding-policies.js';
import { FactorPolicies } from '../../domain/policies/factor-policies.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { LockoutPolicies, PasswordPolicies } from '../../domain/policies/security-policy.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { shownFactorPolicy } from '../shared/schemas/factor-policy.schemas.js';
import { shownLockoutPolicy, shownPasswordPolicy } from '../shared/schemas/policy.schemas.js';

/** The policies of an exported organization, by the names that an import knows them by. */
@Injectable()
export class ExportPolicies {
  constructor(
    private readonly passwordPolicies: PasswordPolicies,
    private readonly lockoutPolicies: LockoutPolicies,
    private readonly loginPolicies: LoginPolicies,
    private readonly factorPolicies: FactorPolicies,
    private readonly branding: BrandingPolicies,
  ) {}

  /** Those that the organization has set. */
  async of(orgId: OrgId): Promise<Readonly<Record<string, object>>> {
    const password = await this.passwordPolicies.findStored(orgId);
    const lockout = await this.lockoutPolicies.findStored(orgId);
    const login = await this.loginPolicies.findStored(orgId);
    const factor = await this.factorPolicies.findStored(orgId);
    const { logo, ...branding } = (await this.branding.findStored(orgId))?.policy ?? {};
    const { accentColor: primaryColor, displayName, defaultLanguage } = branding;
    const label = { primaryColor, displayName, logo: logo?.content.toString('base64'), defaultLanguage };
    const privacy = { privacyLink: branding.privacyUrl, helpLink: branding.helpUrl };
    return {
      ...(password && { passwordComplexityPolicy: shownPasswordPolicy.parse(password.policy) }),
      ...(lockout && { lockoutPolicy: shownLockoutPolicy.parse(lockout.policy) }),
      ...(login && { loginPolicy: login.policy }),
      ...(factor && { factorPolicy: shownFactorPolicy.parse(factor.policy) }),
      ...(saysSomething(label) && { labelPolicy: label }),
      ...(saysSomething(privacy) && { privacyPolicy: privacy }),
    };
  }
}

function saysSomething(fields: object): boolean {
  return Object.values(fields).some((value) => value !== undefined);
}
