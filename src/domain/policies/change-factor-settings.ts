import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { changedFields, policyForEvent } from './changed-fields.js';
import { defaultFactorPolicy, type FactorPolicy } from './factor-policy.js';
import { PoliciesStore } from './policies.store.js';
import { requireReachableKind, SmsDelivery } from './sms-delivery.js';

/** What the instance asks of users beside a password where their organization says nothing. It is kept nowhere else. */
@Injectable()
export class ChangeFactorSettings {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly events: EventsStore,
    private readonly delivery: SmsDelivery,
  ) {}

  /** Of two who replace them at once the last wins, and both count. @throws ApiError failed-precondition for what would let nobody in */
  async replace(tx: Tx, settings: FactorPolicy, actorId: UserId): Promise<ResourceDetails> {
    await requireReachableKind(this.delivery, settings);
    const before = (await this.policies.lockSettings(tx, 'factor')) ?? defaultFactorPolicy;
    const details = await this.policies.replaceSettings(tx, 'factor', settings);
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'instance',
      aggregateId: 'factor_settings',
      sequence: details.sequence,
      type: 'instance.factor_settings.changed',
      actorId,
      fields: changedFields(before, settings),
      data: policyForEvent(settings),
    });
    return details;
  }
}
