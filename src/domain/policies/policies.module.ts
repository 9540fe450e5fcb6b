import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { BrandingPolicies } from './branding-policies.js';
import { ChangeInstanceSettings } from './change-instance-settings.js';
import { FactorPolicies } from './factor-policies.js';
import { LoginPolicies } from './login-policies.js';
import { LockoutPolicies, PasswordPolicies, TokenPolicies } from './security-policy.js';

const useCases = [
  BrandingPolicies,
  LoginPolicies,
  PasswordPolicies,
  LockoutPolicies,
  TokenPolicies,
  FactorPolicies,
  ChangeInstanceSettings,
];

/** What an organization or the instance has decided for itself. */
@Module({ imports: [PermissionsModule], providers: useCases, exports: useCases })
export class PoliciesModule {}
