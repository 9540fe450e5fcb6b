import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { changedFields } from './changed-fields.js';
import { defaultLoginPolicy, type LoginPolicy } from './login-policy.js';
import { PoliciesStore, type StoredPolicy } from './policies.store.js';

/** An organization's login policy. It is read for every decision and kept nowhere, so a change holds at once. */
@Injectable()
export class LoginPolicies {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly events: EventsStore,
  ) {}

  /** The policy that holds in an organization. In a transaction that registers somebody, ask with its `tx`. */
  async find(orgId: OrgId, tx?: Tx): Promise<LoginPolicy> {
    return (await this.policies.findLogin(orgId, tx))?.policy ?? defaultLoginPolicy;
  }

  /** Undefined for an organization that has set none. */
  async findStored(orgId: OrgId): Promise<StoredPolicy<LoginPolicy> | undefined> {
    return await this.policies.findLogin(orgId);
  }

  /** Of two who replace it at once the last wins, and both count. */
  async replace(tx: Tx, orgId: OrgId, policy: LoginPolicy, actorId: UserId): Promise<ResourceDetails> {
    const before = (await this.policies.holdLogin(tx, orgId)) ?? defaultLoginPolicy;
    const details = await this.policies.replaceLogin(tx, orgId, policy);
    await this.events.append(tx, {
      orgId,
      aggregateType: 'login_policy',
      aggregateId: orgId,
      sequence: details.sequence,
      type: 'organization.login_policy.changed',
      actorId,
      fields: changedFields(before, policy),
      data: { allowRegister: policy.allowRegister },
    });
    return details;
  }
}
