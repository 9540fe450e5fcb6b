import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { changedFields } from './changed-fields.js';
import { PoliciesStore, type TokenPolicy } from './policies.store.js';

/** The instance's lifetimes of tokens are read for every token and kept nowhere, so a change holds at once. */
@Injectable()
export class ChangeOidcSettings {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly events: EventsStore,
  ) {}

  /** For the first time. @throws ApiError already-exists */
  async add(tx: Tx, settings: TokenPolicy, actorId: UserId): Promise<ResourceDetails> {
    if ((await this.policies.lockSettings(tx, 'oidc')) !== undefined) {
      throw new ApiError(
        'already-exists',
        'OIDC settings already exist: replace them with PUT',
        'INST-o1dcS',
      );
    }
    return await this.record(tx, {}, settings, actorId);
  }

  /** Of two who replace them at once the last wins, and both count. */
  async replace(tx: Tx, settings: TokenPolicy, actorId: UserId): Promise<ResourceDetails> {
    const before = (await this.policies.lockSettings(tx, 'oidc')) ?? {};
    return await this.record(tx, before, settings, actorId);
  }

  private async record(
    tx: Tx,
    before: TokenPolicy,
    settings: TokenPolicy,
    actorId: UserId,
  ): Promise<ResourceDetails> {
    const details = await this.policies.replaceSettings(tx, 'oidc', settings);
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'instance',
      aggregateId: 'oidc_settings',
      sequence: details.sequence,
      type: 'instance.oidc_settings.changed',
      actorId,
      fields: changedFields(before, settings),
      data: { ...settings },
    });
    return details;
  }
}
