import { Injectable } from '@nestjs/common';
import { LoginPolicies } from '../policies/login-policies.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** Whether people may make accounts of their own in an organization: its login policy says so. */
@Injectable()
export class RegistrationPolicy {
  constructor(private readonly loginPolicies: LoginPolicies) {}

  /** @param tx of the transaction that makes the user, so that a switch that was just turned off holds */
  async allows(orgId: OrgId, tx?: Tx): Promise<boolean> {
    return (await this.loginPolicies.find(orgId, tx)).allowRegister;
  }
}
