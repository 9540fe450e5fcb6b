import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { changedFields } from './changed-fields.js';
import { defaultSecuritySettings, PoliciesStore, type SecuritySettings } from './policies.store.js';

/** The instance's security settings are read for every decision and kept nowhere, so a change holds at once. */
@Injectable()
export class ChangeSecuritySettings {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly events: EventsStore,
  ) {}

  /** Of two who replace them at once the last wins, and both count. */
  async replace(tx: Tx, settings: SecuritySettings, actorId: UserId): Promise<ResourceDetails> {
    const before = (await this.policies.lockSettings(tx, 'security')) ?? defaultSecuritySettings;
    const details = await this.policies.replaceSettings(tx, 'security', settings);
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'instance',
      aggregateId: 'security_settings',
      sequence: details.sequence,
      type: 'instance.security_settings.changed',
      actorId,
      fields: changedFields(before, settings),
      data: { enableImpersonation: settings.enableImpersonation },
    });
    return details;
  }
}
