import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { defaultAttemptPolicy } from '../passwords/attempts/attempt-policy.js';
import { defaultPasswordPolicy } from '../passwords/password-policy.js';
import type { Acting } from '../permissions/acting.js';
import { changedFields } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import {
  PoliciesStore,
  type PolicyKind,
  type PolicyKinds,
  type StoredPolicy,
  type TokenPolicy,
} from './policies.store.js';
import { policyForEvent } from './policy-for-event.js';

/** The ones with defaults. */
export type SecurityPolicyKind = Exclude<PolicyKind, 'branding'>;

/**
 * One of an organization's policies, with defaults where it has set none. It is read for every decision and kept
 * nowhere, so a change holds at once.
 */
@Injectable()
export abstract class SecurityPolicy<Kind extends SecurityPolicyKind> {
  protected abstract readonly kind: Kind;
  protected abstract readonly defaults: PolicyKinds[Kind];

  constructor(
    private readonly policies: PoliciesStore,
    private readonly events: EventsStore,
  ) {}

  /** The policy that holds. In a transaction, ask with its `tx`. */
  async find(orgId: OrgId, tx?: Tx): Promise<PolicyKinds[Kind]> {
    return (await this.policies.find(this.kind, orgId, tx))?.policy ?? (await this.usual());
  }

  /** What holds in an organization that has set none. */
  async usual(): Promise<PolicyKinds[Kind]> {
    return await Promise.resolve(this.defaults);
  }

  /** Undefined for an organization that has set none. */
  async findStored(orgId: OrgId): Promise<StoredPolicy<PolicyKinds[Kind]> | undefined> {
    return await this.policies.find(this.kind, orgId);
  }

  /** Of two who replace it at once the last wins, and both count. */
  async replace(tx: Tx, orgId: OrgId, policy: PolicyKinds[Kind], acting: Acting): Promise<ResourceDetails> {
    return await this.write(tx, orgId, policy, acting, true);
  }

  async reset(tx: Tx, orgId: OrgId, acting: Acting): Promise<ResourceDetails> {
    return await this.write(tx, orgId, await this.usual(), acting, false);
  }

  /** Asked while nobody else can change the policy. @throws ApiError permission-denied for what this caller may not set, or nobody now */
  protected async admit(
    _orgId: OrgId,
    _before: PolicyKinds[Kind],
    _after: PolicyKinds[Kind],
    _acting: Acting,
    _tx: Tx,
  ): Promise<void> {
    // whoever may write the policy may set anything in it
  }

  private async write(
    tx: Tx,
    orgId: OrgId,
    policy: PolicyKinds[Kind],
    acting: Acting,
    isSet: boolean,
  ): Promise<ResourceDetails> {
    const before = (await this.policies.lockForUpdate(tx, this.kind, orgId)) ?? (await this.usual());
    // read under the lock: an unset policy is reported as never changed, whatever was counted before
    const wasSet = (await this.policies.find(this.kind, orgId, tx)) !== undefined;
    await this.admit(orgId, before, policy, acting, tx);
    const details = await this.policies.replace(tx, this.kind, orgId, policy, isSet);
    await this.events.append(tx, {
      orgId,
      aggregateType: `${this.kind}_policy`,
      aggregateId: orgId,
      sequence: details.sequence,
      type: `organization.${this.kind}_policy.${isSet ? 'changed' : 'reset'}`,
      actorId: acting.actorId,
      fields: changedFields(before, policy),
      // settings, no personal data: what held when is worth knowing
      data: policyForEvent(policy),
    });
    return wasSet ? details : { ...details, before: '0' };
  }
}

/** What new passwords of an organization's users must have; those that are there already stay good. */
@Injectable()
export class PasswordPolicies extends SecurityPolicy<'password'> {
  protected override readonly kind = 'password';
  protected override readonly defaults = defaultPasswordPolicy;
}

/** How many wrong passwords an account takes, and how long it then waits. */
@Injectable()
export class LockoutPolicies extends SecurityPolicy<'lockout'> {
  protected override readonly kind = 'lockout';
  protected override readonly defaults = defaultAttemptPolicy;
}

/** Read for the API only: issuing gets it with the application, in the round trip that finds that. */
@Injectable()
export class TokenPolicies extends SecurityPolicy<'token'> {
  protected override readonly kind = 'token';
  protected override readonly defaults: TokenPolicy = {};
}
