import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { changedFields } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { defaultFactorPolicy, type FactorPolicy } from './factor-policy.js';
import {
  defaultSecuritySettings,
  PoliciesStore,
  type InstanceSettings,
  type InstanceSettingsKind,
  type SecuritySettings,
  type TokenPolicy,
} from './policies.store.js';
import { policyForEvent } from './policy-for-event.js';
import { requireReachableKind, SmsDelivery } from './sms-delivery.js';

/** What holds where nobody has decided. */
const DEFAULTS: InstanceSettings = {
  oidc: {},
  security: defaultSecuritySettings,
  factor: defaultFactorPolicy,
};

/**
 * The instance's own decisions: how long tokens live and which factors users need where their organization says nothing, and
 * who may act for others. They are read whenever they count and kept nowhere else, so a change holds at once. Of two who replace
 * the same at once the last wins, and both count.
 */
@Injectable()
export class ChangeInstanceSettings {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly events: EventsStore,
    private readonly delivery: SmsDelivery,
  ) {}

  /** For the first time. @throws ApiError already-exists */
  async addOidc(tx: Tx, settings: TokenPolicy, actorId: UserId): Promise<ResourceDetails> {
    if ((await this.policies.lockSettings(tx, 'oidc')) !== undefined) {
      throw new ApiError(
        'already-exists',
        'OIDC settings already exist: replace them with PUT',
        'INST-o1dcS',
      );
    }
    return await this.replace(tx, 'oidc', settings, actorId);
  }

  async replaceOidc(tx: Tx, settings: TokenPolicy, actorId: UserId): Promise<ResourceDetails> {
    return await this.replace(tx, 'oidc', settings, actorId);
  }

  async replaceSecurity(tx: Tx, settings: SecuritySettings, actorId: UserId): Promise<ResourceDetails> {
    return await this.replace(tx, 'security', settings, actorId);
  }

  /** @throws ApiError failed-precondition for what would let nobody in */
  async replaceFactors(tx: Tx, settings: FactorPolicy, actorId: UserId): Promise<ResourceDetails> {
    await requireReachableKind(this.delivery, settings);
    return await this.replace(tx, 'factor', settings, actorId);
  }

  private async replace<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
    settings: InstanceSettings[Kind],
    actorId: UserId,
  ): Promise<ResourceDetails> {
    const before = (await this.policies.lockSettings(tx, kind)) ?? DEFAULTS[kind];
    const details = await this.policies.replaceSettings(tx, kind, settings);
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'instance',
      aggregateId: `${kind}_settings`,
      sequence: details.sequence,
      type: `instance.${kind}_settings.changed`,
      actorId,
      fields: changedFields(before, settings),
      data: policyForEvent(settings),
    });
    return details;
  }
}
