import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import { EndLowerMade } from '../members/end-lower-made.js';
import { HashingBill } from '../passwords/hashing-bill.js';
import { PasswordHashing } from '../passwords/password-hashing.js';
import { PasswordsStore, type EncodedPassword } from '../passwords/passwords.store.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import type { UserId } from '../shared/ids.js';
import { randomToken } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/canonical-name.js';
import { NewPasswords } from '../users/new-passwords.js';
import { domainOfUserName, userNameIn } from '../users/user-name.js';
import { UsersStore } from '../users/users.store.js';
import { HandOutLink, type HandedOutLink } from '../users/verification/hand-out-link.js';
import { CODE_LIFETIME_MS } from '../users/verification/verification-code.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import type { DefaultOrganization } from './set-up-instance.js';

export interface AdministratorPlan {
  readonly userName: string;
  readonly email: string;
  /** Configured; good for an administrator who has none yet. */
  readonly password: string | undefined;
}

export interface PasswordWishes {
  /** Password that is said to be theirs. */
  readonly held: string | undefined;
  /** Has one made where none is configured, because there is somebody to keep it. */
  readonly makePassword: boolean;
}

export interface EnsuredAdministrator {
  /** Undefined when there is no such user, and none was made because somebody else owns the instance. */
  readonly userId: UserId | undefined;
  readonly loginName: string;
  /** Undefined when it cannot be told: somebody chose another one, or there is none. */
  readonly password: string | undefined;
  readonly hasPassword: boolean;
  /** Where they set their first password. Only of one who was made by this very run. */
  readonly link: HandedOutLink | undefined;
}

type Ensured = Omit<EnsuredAdministrator, 'loginName'>;

/**
 * The first human: owner of the instance, with an address that counts as verified, so that no mail is queued for
 * anybody. Made only where nobody owns the instance. Who was demoted, deleted or locked afterwards stays so.
 */
@Injectable()
export class EnsureAdministrator {
  constructor(
    private readonly users: UsersStore,
    private readonly permissions: PermissionsStore,
    private readonly lowerMade: EndLowerMade,
    private readonly passwords: PasswordsStore,
    private readonly hashing: PasswordHashing,
    private readonly newPasswords: NewPasswords,
    private readonly handOutLink: HandOutLink,
    private readonly codes: VerificationCodesStore,
    private readonly events: EventsStore,
  ) {}

  async execute(
    tx: Tx,
    organization: DefaultOrganization,
    configured: AdministratorPlan,
    wishes: PasswordWishes,
  ): Promise<EnsuredAdministrator> {
    const plan = { ...configured, userName: userNameOf(configured.userName, organization) };
    const loginName = `${plan.userName}@${organization.primaryDomain}`;
    const known = await this.users.findIdByName(tx, organization.id, canonicalName(plan.userName));
    if (known !== undefined)
      return { ...(await this.find(tx, organization, known, plan, wishes)), loginName };
    await this.permissions.lockRolesShared(tx);
    if ((await this.permissions.listOwners(tx)).length > 0) return { ...NOBODY, loginName };
    return { ...(await this.add(tx, organization, plan, wishes)), loginName };
  }

  private async add(
    tx: Tx,
    { id: orgId }: DefaultOrganization,
    plan: AdministratorPlan,
    { makePassword }: PasswordWishes,
  ): Promise<Ensured> {
    const password = plan.password ?? (makePassword ? newPassword() : undefined);
    const encoded = password === undefined ? undefined : await this.encode(orgId, plan, password);
    const [reserved] = await this.users.reserve([null], tx);
    if (reserved === undefined) throw new Error('no id was reserved');
    const { id: userId } = reserved;
    const [created] = await this.users.addHumans(tx, [
      {
        id: userId,
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
    const change = { orgId, userId, actorId: null };
    await this.events.append(
      tx,
      userEvent(change, created?.details ?? { sequence: '1' }, 'user.human.added'),
    );
    const owner = { userId, userOrgId: orgId, role: 'IAM_OWNER', orgId: null } as const;
    await this.lowerMade.whileRolesChange(tx, userId, null, () => this.permissions.addFirst(tx, owner));
    const hasPassword = password !== undefined;
    const link = hasPassword
      ? undefined
      : await this.handOutLink.execute(tx, {
          orgId,
          userId,
          purpose: 'initialise',
          target: plan.email,
          lifetimeMs: CODE_LIFETIME_MS.initialise,
        });
    return { userId, password, hasPassword, link };
  }

  private async find(
    tx: Tx,
    { id: orgId }: DefaultOrganization,
    userId: UserId,
    plan: AdministratorPlan,
    { held, makePassword }: PasswordWishes,
  ): Promise<Ensured> {
    const stored = await this.passwords.findByUser(userId);
    for (const candidate of [held, plan.password]) {
      if (candidate === undefined || stored === undefined) continue;
      const { matches } = await this.hashing.verify(stored.hash, candidate, HashingBill.setUp());
      if (matches) return { userId, password: candidate, hasPassword: true, link: undefined };
    }
    const found = { userId, password: undefined, hasPassword: stored !== undefined, link: undefined };
    const password = plan.password ?? (makePassword ? newPassword() : undefined);
    if (stored !== undefined || password === undefined) return found;
    // nobody has signed in as them yet, so there is nothing to replace
    if ((await this.users.findState(tx, orgId, userId)) !== 'initial') return found;
    if (!(await this.permissions.isOwner(tx, userId))) return found;
    const encoded = await this.encode(orgId, plan, password);
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: true });
    if (details === undefined) return found;
    await this.passwords.set(tx, { ...encoded, orgId, userId, changeRequired: false });
    await this.codes.endLive(tx, userId, 'initialise');
    const change = { orgId, userId, actorId: null };
    await this.events.append(tx, userEvent(change, details, 'user.human.password.set'));
    return { userId, password, hasPassword: true, link: undefined };
  }

  /**
   * The policy of the organization that runs the instance is for a configured password: one that is made is longer than
   * any policy could ask for in strength.
   *
   * @throws ApiError invalid-argument
   */
  private async encode(
    orgId: DefaultOrganization['id'],
    plan: AdministratorPlan,
    password: string,
  ): Promise<EncodedPassword> {
    const bill = HashingBill.setUp();
    if (plan.password === undefined) return await this.newPasswords.encode(password, bill);
    return await this.newPasswords.require({ orgId, user: [plan.userName, plan.email], password, bill });
  }
}

const NOBODY: Ensured = { userId: undefined, password: undefined, hasPassword: false, link: undefined };

/** An operator may well configure the full login name. */
function userNameOf(configured: string, { id, primaryDomain }: DefaultOrganization): string {
  const isLoginName = domainOfUserName(configured) === primaryDomain;
  return userNameIn(id, configured, isLoginName ? { orgId: id, isPrimary: true } : undefined);
}

/** 120 random bits, and one character of every kind that the policy may ask for. */
function newPassword(): string {
  return `${randomToken(15)}.Aa1`;
}
