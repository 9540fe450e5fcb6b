import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import type { Acting } from '../permissions/acting.js';
import { RequirePermission } from '../permissions/require-permission.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { defaultLoginPolicy, type LoginPolicy } from './login-policy.js';
import { PoliciesStore } from './policies.store.js';
import { SecurityPolicy } from './security-policy.js';

/** Whether the provider that a policy names for the domains leads anybody there. */
export type HomeRealmState = 'active' | 'inactive' | 'removed';

/** What people may do on the sign-in pages of an organization's applications. */
@Injectable()
export class LoginPolicies extends SecurityPolicy<'login'> {
  protected override readonly kind = 'login';
  protected override readonly defaults = defaultLoginPolicy;

  constructor(
    private readonly store: PoliciesStore,
    events: EventsStore,
    private readonly instance: InstanceStore,
    private readonly requirePermission: RequirePermission,
  ) {
    super(store, events);
  }

  /** Undefined where the policy names none. */
  async homeRealmStateOf(policy: LoginPolicy | undefined): Promise<HomeRealmState | undefined> {
    const id = policy?.homeRealmIdpId;
    return id === undefined ? undefined : ((await this.store.findInstanceProviderState(id)) ?? 'removed');
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
    tx: Tx,
  ): Promise<void> {
    const { homeRealmIdpId: id, instanceIdps } = after;
    if (id !== undefined && !instanceIdps.includes(id)) {
      throw new ApiError('invalid-argument', 'homeRealmIdpId must be one of instanceIdps');
    }
    // one that was switched off since keeps nobody from changing the rest
    if (id !== undefined && id !== before.homeRealmIdpId) await this.requireHomeRealm(tx, orgId, id);
    if (before.allowRegister || !after.allowRegister) return;
    const { defaultOrgId } = await this.instance.read();
    if (orgId === defaultOrgId) await this.requirePermission.check(acting, orgId, 'iam.write');
  }

  /** Two for the same domains would leave it to chance, or to a rule that nobody sees, which of them people are sent to. */
  private async requireHomeRealm(tx: Tx, orgId: OrgId, id: string): Promise<void> {
    if (await this.store.lockHomeRealm(tx, orgId)) {
      throw new ApiError(
        'already-exists',
        'A provider of the organization is the one for its domains already: take its homeRealm away first',
        'POLICY-Hr7ow',
      );
    }
    if ((await this.store.findInstanceProviderState(id, tx)) !== 'active') {
      throw new ApiError(
        'failed-precondition',
        'homeRealmIdpId must name a provider of the instance that is active',
        'POLICY-Hr6na',
      );
    }
  }
}
