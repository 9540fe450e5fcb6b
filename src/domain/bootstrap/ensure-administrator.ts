import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { HashingBill } from '../passwords/hashing-bill.js';
import { PasswordHashing } from '../passwords/password-hashing.js';
import { requirePasswordPolicy } from '../passwords/password-policy.js';
import { PasswordPolicies } from '../policies/password-policies.js';
import { type EncodedPassword, PasswordsStore } from '../passwords/passwords.store.js';
import { EndLowerMade } from '../members/end-lower-made.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import type { UserId } from '../shared/ids.js';
import { randomToken } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/canonical-name.js';
import { EndAccess } from '../users/end-access.js';
import { domainOfUserName, userNameIn } from '../users/user-name.js';
import { UsersStore } from '../users/users.store.js';
import type { DefaultOrganization } from './set-up-instance.js';

export interface AdministratorPlan {
  readonly userName: string;
  readonly email: string;
  /** Configured; undefined has one generated when there is somebody to keep it. */
  readonly password: string | undefined;
}

export interface EnsuredAdministrator {
  readonly userId: UserId;
  readonly loginName: string;
  /** Undefined when it cannot be told: it was chosen by somebody else, or there is none. */
  readonly password: string | undefined;
  readonly hasPassword: boolean;
}

/** The first human: owner of the instance, with a verified address, so that no mail is owed to anybody. */
@Injectable()
export class EnsureAdministrator {
  constructor(
    private readonly users: UsersStore,
    private readonly permissions: PermissionsStore,
    private readonly lowerMade: EndLowerMade,
    private readonly passwords: PasswordsStore,
    private readonly hashing: PasswordHashing,
    private readonly policies: PasswordPolicies,
    private readonly access: EndAccess,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param held password that is said to be theirs
   * @param mustKnow a password that cannot be told is replaced
   */
  async execute(
    tx: Tx,
    organization: DefaultOrganization,
    configured: AdministratorPlan,
    held: string | undefined,
    mustKnow: boolean,
  ): Promise<EnsuredAdministrator> {
    const plan = { ...configured, userName: userNameOf(configured.userName, organization) };
    const known = await this.users.findIdByName(tx, organization.id, canonicalName(plan.userName));
    const ensured =
      known === undefined
        ? await this.add(tx, organization, plan, mustKnow)
        : await this.keep(tx, organization, known, plan, held, mustKnow);
    const { userId } = ensured;
    const owner = { userId, userOrgId: organization.id, role: 'IAM_OWNER', orgId: null } as const;
    await this.lowerMade.whileRolesChange(tx, userId, null, () => this.permissions.add(tx, owner));
    return { ...ensured, loginName: `${plan.userName}@${organization.primaryDomain}` };
  }

  private async add(
    tx: Tx,
    { id: orgId }: DefaultOrganization,
    plan: AdministratorPlan,
    mustKnow: boolean,
  ): Promise<Omit<EnsuredAdministrator, 'loginName'>> {
    const password = plan.password ?? (mustKnow ? makePassword() : undefined);
    await this.requirePolicy(orgId, plan);
    const encoded = password === undefined ? undefined : await this.encode(password);
    const [reserved] = await this.users.reserve([null], tx);
    if (reserved === undefined) throw new Error('no id was reserved');
    const [created] = await this.users.addHumans(tx, [
      {
        id: reserved.id,
        orgId,
        userName: plan.userName,
        state: password === undefined ? 'initial' : 'active',
        profile: { firstName: 'Instance', lastName: 'Administrator', displayName: 'Instance Administrator' },
        email: { address: plan.email, verified: true },
        identifiers: [
          { kind: 'user_name', canonical: canonicalName(plan.userName) },
          { kind: 'email', canonical: canonicalName(plan.email) },
        ],
        password: encoded && { ...encoded, changeRequired: false },
      },
    ]);
    await this.record(tx, orgId, reserved.id, created?.details.sequence ?? 1, 'user.human.added');
    return { userId: reserved.id, password, hasPassword: password !== undefined };
  }

  private async keep(
    tx: Tx,
    { id: orgId }: DefaultOrganization,
    userId: UserId,
    plan: AdministratorPlan,
    held: string | undefined,
    mustKnow: boolean,
  ): Promise<Omit<EnsuredAdministrator, 'loginName'>> {
    const stored = await this.passwords.findByUser(userId);
    for (const candidate of [held, plan.password]) {
      if (candidate === undefined || stored === undefined) continue;
      const { matches } = await this.hashing.verify(stored.hash, candidate, HashingBill.setUp());
      if (matches) return { userId, password: candidate, hasPassword: true };
    }
    // somebody chose another password: it is theirs unless we are asked for one that can be told
    if (!mustKnow && (stored !== undefined || plan.password === undefined)) {
      return { userId, password: undefined, hasPassword: stored !== undefined };
    }
    const password = plan.password ?? makePassword();
    await this.requirePolicy(orgId, plan);
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: true });
    if (details === undefined) throw new Error(`the administrator ${plan.userName} is deactivated or locked`);
    const encoded = await this.encode(password);
    await this.passwords.set(tx, { ...encoded, orgId, userId, changeRequired: false });
    await this.access.ofUser(tx, { orgId, userId, actorId: userId }, 'password_changed');
    await this.record(tx, orgId, userId, details.sequence, 'user.human.password.set');
    return { userId, password, hasPassword: true };
  }

  /**
   * The policy of the organization that runs the instance, for a configured password that becomes theirs: one that
   * is theirs already stays good, and one that is made is longer than any policy could ask for in strength.
   * @throws ApiError invalid-argument
   */
  private async requirePolicy(
    orgId: DefaultOrganization['id'],
    { password }: AdministratorPlan,
  ): Promise<void> {
    if (password !== undefined) requirePasswordPolicy(await this.policies.find(orgId), password);
  }

  private async encode(password: string): Promise<EncodedPassword> {
    const hash = await this.hashing.hash(password, HashingBill.setUp());
    const { scheme, weak } = this.hashing.inspect(hash);
    return { hash, scheme, weak };
  }

  private async record(
    tx: Tx,
    orgId: DefaultOrganization['id'],
    userId: UserId,
    sequence: string | number,
    type: EventType,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: userId,
      sequence,
      type,
      actorId: null,
    });
  }
}

/** An operator may well configure the full login name. */
function userNameOf(configured: string, { id, primaryDomain }: DefaultOrganization): string {
  const isLoginName = domainOfUserName(configured) === primaryDomain;
  return userNameIn(id, configured, isLoginName ? { orgId: id, isPrimary: true } : undefined);
}

/** 120 random bits, and one character of every kind that the policy may ask for. */
function makePassword(): string {
  return `${randomToken(15)}.Aa1`;
}
