import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import type { Acting } from '../permissions/acting.js';
import { RequirePermission } from '../permissions/require-permission.js';
import type { OrgId } from '../shared/ids.js';
import { defaultLoginPolicy, type LoginPolicy } from './login-policy.js';
import { PoliciesStore } from './policies.store.js';
import { SecurityPolicy } from './security-policy.js';

/** What people may do on the sign-in pages of an organization's applications. */
@Injectable()
export class LoginPolicies extends SecurityPolicy<'login'> {
  protected override readonly kind = 'login';
  protected override readonly defaults = defaultLoginPolicy;

  constructor(
    policies: PoliciesStore,
    events: EventsStore,
    private readonly instance: InstanceStore,
    private readonly requirePermission: RequirePermission,
  ) {
    super(policies, events);
  }

  /**
   * Strangers who register in the default organization are beside whoever runs the instance, and it is what a sign-in
   * without an application shows: to let them in is for an instance owner alone (security S203).
   */
  protected override async admit(
    orgId: OrgId,
    before: LoginPolicy,
    after: LoginPolicy,
    acting: Acting,
  ): Promise<void> {
    if (before.allowRegister || !after.allowRegister) return;
    const { defaultOrgId } = await this.instance.read();
    if (orgId === defaultOrgId) await this.requirePermission.check(acting, orgId, 'iam.write');
  }
}
