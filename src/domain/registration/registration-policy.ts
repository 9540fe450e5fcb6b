import { Injectable } from '@nestjs/common';
import { LoginPolicies } from '../policies/login-policies.js';
import type { LoginPolicy } from '../policies/login-policy.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What is asked of people who make accounts of their own. */
export type RegistrationTerms = Pick<LoginPolicy, 'requireLoginName'>;

/** Whether people may make accounts of their own in an organization, and by what: its login policy says so. */
@Injectable()
export class RegistrationPolicy {
  constructor(private readonly loginPolicies: LoginPolicies) {}

  /** Undefined where nobody may. */
  async find(orgId: OrgId): Promise<RegistrationTerms | undefined> {
    const { allowRegister, ...terms } = await this.loginPolicies.find(orgId);
    return allowRegister ? terms : undefined;
  }

  /** @param tx of the transaction that makes the user, so that a switch that was just turned off holds */
  async allows(orgId: OrgId, tx?: Tx): Promise<boolean> {
    return (await this.loginPolicies.find(orgId, tx)).allowRegister;
  }
}
