import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import type { Acting } from '../permissions/acting.js';
import { RequirePermission } from '../permissions/require-permission.js';
import type { OrgId } from '../shared/ids.js';
import { defaultFactorPolicy, weakens, type FactorPolicy } from './factor-policy.js';
import { PoliciesStore } from './policies.store.js';
import { SecurityPolicy } from './security-policy.js';
import { requireReachableKind, SmsDelivery } from './sms-delivery.js';

/** What an organization asks of its users beside a password; where it says nothing, what the instance asks. */
@Injectable()
export class FactorPolicies extends SecurityPolicy<'factor'> {
  protected override readonly kind = 'factor';
  protected override readonly defaults = defaultFactorPolicy;

  constructor(
    private readonly settings: PoliciesStore,
    events: EventsStore,
    private readonly instance: InstanceStore,
    private readonly requirePermission: RequirePermission,
    private readonly delivery: SmsDelivery,
  ) {
    super(settings, events);
  }

  override async usual(): Promise<FactorPolicy> {
    return (await this.settings.findSettings('factor'))?.policy ?? this.defaults;
  }

  /**
   * Nobody may be asked for what cannot be had. The default organization is where those are who run the instance: to let them in with less is for an instance owner
   * alone, as registration there is (security S203).
   */
  protected override async admit(
    orgId: OrgId,
    before: FactorPolicy,
    after: FactorPolicy,
    acting: Acting,
  ): Promise<void> {
    await requireReachableKind(this.delivery, after);
    if (!weakens(before, after)) return;
    const { defaultOrgId } = await this.instance.read();
    if (orgId === defaultOrgId) await this.requirePermission.check(acting, orgId, 'iam.write');
  }
}
