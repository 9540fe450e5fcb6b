import { Injectable } from '@nestjs/common';
import { ChangeEmail } from '../accounts/change-email.js';
import { ChangePhone } from '../accounts/change-phone.js';
import { ChangeProfile } from '../accounts/change-profile.js';
import { ChangeUserName } from '../accounts/change-user-name.js';
import { ChangeUserState } from '../accounts/change-user-state.js';
import { DeleteUser } from '../accounts/delete-user.js';
import { LockAccount, type AccountChange, type LockedHuman } from '../accounts/lock-account.js';
import { SetPassword, type PreparedPassword } from '../accounts/set-password.js';
import { SyncPassword } from '../accounts/sync-password.js';
import { ImportHumanUser } from '../imports/records/import-human-user.js';
import { inPerson } from '../permissions/acting.js';
import { KeepOwner } from '../permissions/keep-owner.js';
import { changedFields } from '../policies/changed-fields.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/canonical-name.js';
import { userNotFound } from '../users/find-user.js';
import type { HumanProfile } from '../users/user.js';
import {
  ProvisionedUsersStore,
  type DirectoryEntry,
  type HeldGroup,
  type ProvisionedHuman,
} from './provisioned-users.store.js';
import { actorOf } from './scim-tokens.js';
import type { ScimToken } from './scim-tokens.store.js';

/** A user as a directory sees them. */
export interface ProvisionedUser {
  readonly user: ProvisionedHuman;
  readonly userName: string;
  readonly externalId: string | null;
  readonly groups: readonly HeldGroup[];
}

/** What a directory may say of a profile; undefined is said as well, and empties the field. */
export type WantedProfile = Pick<HumanProfile, 'firstName' | 'lastName'> & {
  readonly displayName: string;
} & { readonly [Field in ProvisionedField]: HumanProfile[Field] | undefined };

type ProvisionedField = 'middleName' | 'nickName' | 'preferredLanguage' | 'profile' | 'zoneinfo' | 'address';

/** What a directory wants a user to be. What it has no word for stays as it is. */
export interface WantedUser {
  readonly userName: string;
  readonly externalId: string | null;
  readonly profile: WantedProfile;
  readonly email: string;
  /** E.164; undefined leaves a verified number, by which the user may sign in, and null takes that as well. */
  readonly phone: string | null | undefined;
  /** Undefined leaves it as it is. */
  readonly active: boolean | undefined;
  readonly password: string | undefined;
}

type SeenLocked = ProvisionedUser & { readonly user: LockedHuman; readonly wasLocked: boolean };

/** What is wanted of a user as they are now. It is asked twice, and must give the same both times. */
export type WantedChange = (now: ProvisionedUser) => WantedUser;

/**
 * Creates, changes and deletes users for a directory, by the same use cases as a manager does. Whoever holds a role of an
 * organization or of the instance is out of reach where a manager without any role would be refused (`RequireRank`).
 */
@Injectable()
export class ProvisionUsers {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly people: ProvisionedUsersStore,
    private readonly importHumanUser: ImportHumanUser,
    private readonly account: LockAccount,
    private readonly changeUserName: ChangeUserName,
    private readonly changeProfile: ChangeProfile,
    private readonly changeEmail: ChangeEmail,
    private readonly changePhone: ChangePhone,
    private readonly changeState: ChangeUserState,
    private readonly setPassword: SetPassword,
    private readonly syncPassword: SyncPassword,
    private readonly deleteUser: DeleteUser,
    private readonly owner: KeepOwner,
  ) {}

  /** @throws ApiError not-found, also for a service user */
  async find(token: ScimToken, id: UserId): Promise<ProvisionedUser> {
    const byId = [{ field: 'id', values: [id] }] as const;
    const [found] = (await this.search(token, byId, { offset: 0, limit: 1 })).items;
    if (found === undefined) throw userNotFound();
    return found;
  }

  /** @throws ApiError resource-exhausted when it takes too long */
  async search(
    { orgId, projectId }: ScimToken,
    filters: Parameters<ProvisionedUsersStore['search']>[1],
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly items: readonly ProvisionedUser[]; readonly total: number }> {
    const { items, total } = await this.people.search(orgId, filters, page);
    const ids = items.map(({ id }) => id);
    const entries = await this.people.entriesOf(orgId, ids);
    const groups = projectId === null ? undefined : await this.people.groupsOf(orgId, projectId, ids);
    const seen = items.map((user) => provisioned(user, entries.get(user.id), groups?.get(user.id)));
    return { items: seen, total };
  }

  /** @throws ApiError already-exists, invalid-argument, HashingOverloaded */
  async create(token: ScimToken, wanted: WantedUser, source: string): Promise<ProvisionedUser> {
    const { orgId, trustsEmails: verified } = token;
    const { userName, externalId, profile, email, phone, password: plain } = wanted;
    const record = {
      userName,
      profile: given(profile),
      email: { address: email, verified },
      ...(typeof phone === 'string' && { phone: { number: phone, verified: false } }),
      ...(plain !== undefined && { password: { kind: 'plain', plain, changeRequired: false } as const }),
    };
    const acting = inPerson(actorOf(token));
    const asked = { orgId, ...acting, record, source, how: 'added' } as const;
    // a directory is full of numbers of people who did not ask for a message
    const { sms: _, ...human } = await this.importHumanUser.prepare(asked);
    const id = await this.unitOfWork.run(async (tx) => {
      const { id: userId } = await this.importHumanUser.store(tx, human);
      await this.people.put(tx, orgId, userId, { externalId, userName, wasLocked: false });
      if (wanted.active === false) await this.changeState.deactivate(tx, { orgId, userId, ...acting });
      return userId;
    });
    return await this.find(token, id);
  }

  /**
   * All of it or nothing. Whoever is made inactive has neither session nor token when it is committed.
   *
   * @param version that the caller had read; undefined for any
   * @throws ApiError not-found, precondition-failed, permission-denied, already-exists, invalid-argument, HashingOverloaded
   */
  async change(
    token: ScimToken,
    userId: UserId,
    version: readonly string[] | undefined,
    wantedOf: WantedChange,
    source: string,
  ): Promise<ProvisionedUser> {
    const change = changeOf(token, userId);
    const found = await this.find(token, userId);
    const first = wantedOf(found);
    // whoever comes back may be locked again
    const stays = first.active !== false && found.user.state !== 'inactive';
    const password =
      first.password === undefined
        ? undefined
        : await this.syncPassword.prepare(change, first.password, source);
    await this.unitOfWork.run((tx) =>
      this.whileStays(tx, userId, stays, async () => {
        const now = await this.lock(tx, change, version);
        await this.write(tx, token, change, now, wantedOf(now), password);
      }),
    );
    return await this.find(token, userId);
  }

  /** @throws ApiError not-found, precondition-failed, permission-denied, failed-precondition */
  async delete(token: ScimToken, userId: UserId, version: readonly string[] | undefined): Promise<void> {
    const change = changeOf(token, userId);
    await this.unitOfWork.run((tx) =>
      this.whileStays(tx, userId, false, async () => {
        await this.lock(tx, change, version);
        await this.deleteUser.execute(tx, change);
      }),
    );
  }

  /** The locks of owners who go come before that of the user's row. */
  private async whileStays(tx: Tx, userId: UserId, stays: boolean, work: () => Promise<void>): Promise<void> {
    if (stays) await work();
    else await this.owner.whileUserGoes(tx, userId, work);
  }

  private async lock(
    tx: Tx,
    change: AccountChange,
    version: readonly string[] | undefined,
  ): Promise<SeenLocked> {
    const user = await this.account.lockForUpdate(tx, change);
    if (user.type !== 'human') throw userNotFound();
    if (version !== undefined && !version.includes(user.details.sequence)) throw changedMeanwhile();
    const entries = await this.people.entriesOf(change.orgId, [user.id], tx);
    const entry = entries.get(user.id);
    return { ...provisioned(user, entry), user, wasLocked: entry?.wasLocked ?? false };
  }

  private async write(
    tx: Tx,
    token: ScimToken,
    change: AccountChange,
    now: SeenLocked,
    wanted: WantedUser,
    password: PreparedPassword | undefined,
  ): Promise<void> {
    const { user } = now;
    // first in, last out
    const comesBack = user.state === 'inactive' && wanted.active === true;
    if (comesBack) await this.changeState.reactivate(tx, change);
    if (wanted.userName !== now.userName) await this.changeUserName.execute(tx, change, wanted.userName);
    const profile = { ...user.profile, ...wanted.profile } as HumanProfile;
    if (changedFields(user.profile, profile).length > 0) {
      await this.changeProfile.execute(tx, change, { profile, kept: [] });
    }
    await this.writeEmail(tx, token, change, user, wanted.email);
    await this.writePhone(tx, change, user, wanted.phone);
    // a directory goes on sending all of a user whom it has made inactive, and is not refused for it
    if (password !== undefined) await this.setPassword.execute(tx, change, password, true);
    await this.writeEntry(tx, change, now, wanted);
    if (user.state !== 'inactive' && wanted.active === false) await this.changeState.deactivate(tx, change);
    if (comesBack && now.wasLocked) await this.changeState.lock(tx, change);
  }

  /** One that waits for its code already is not sent another one with every round of the directory. */
  private async writeEmail(
    tx: Tx,
    { trustsEmails: verified }: ScimToken,
    change: AccountChange,
    { email }: LockedHuman,
    address: string,
  ): Promise<void> {
    if (address === email.address || (!verified && address === email.pending)) return;
    await this.changeEmail.execute(tx, change, { address, verified });
  }

  private async writePhone(
    tx: Tx,
    change: AccountChange,
    { phone }: LockedHuman,
    number: string | null | undefined,
  ): Promise<void> {
    if (typeof number === 'string') {
      if (number !== phone?.number) await this.changePhone.replaceQuietly(tx, change, number);
    } else if (phone !== undefined && (number === null || !phone.verified)) {
      await this.changePhone.remove(tx, change);
    }
  }

  private async writeEntry(
    tx: Tx,
    change: AccountChange,
    now: SeenLocked,
    { externalId, userName, active }: WantedUser,
  ): Promise<void> {
    const wasLocked = isLockKept(now, active);
    if (now.externalId === externalId && now.userName === userName && now.wasLocked === wasLocked) return;
    const { orgId, userId } = change;
    await this.people.put(tx, orgId, userId, { externalId, userName, wasLocked });
    if (now.externalId === externalId) return;
    const details = await this.account.count(tx, now.user);
    await this.account.record(tx, change, details, 'user.external_id.changed', ['externalId']);
  }
}

/** A lock is kept from when a directory makes the user inactive until somebody lets them in. */
function isLockKept({ user, wasLocked }: SeenLocked, active: boolean | undefined): boolean {
  if (user.state === 'inactive') return wasLocked && active !== true;
  return user.state === 'locked' && active === false;
}

function given(profile: WantedProfile): HumanProfile {
  const members = Object.entries(profile).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as unknown as HumanProfile;
}

function changeOf(token: ScimToken, userId: UserId): AccountChange {
  return { orgId: token.orgId, userId, ...inPerson(actorOf(token)) };
}

/** @param entry undefined for somebody whom no directory made */
function provisioned(
  user: ProvisionedHuman,
  entry: DirectoryEntry | undefined,
  groups: readonly HeldGroup[] = [],
): ProvisionedUser {
  return { user, userName: nameFor(user, entry), externalId: entry?.externalId ?? null, groups };
}

/**
 * As the directory wrote it, as long as it names the user. A name without a domain is shown with the organization's: that is
 * the login name.
 */
function nameFor({ userName, loginName }: ProvisionedHuman, entry: DirectoryEntry | undefined): string {
  const written = entry === undefined ? undefined : canonicalName(entry.userName);
  if (entry !== undefined && [userName, loginName].some((name) => canonicalName(name) === written)) {
    return entry.userName;
  }
  return userName.includes('@') ? userName : loginName;
}

export function changedMeanwhile(): ApiError {
  return new ApiError('precondition-failed', 'It was changed meanwhile, or is another version', 'SCIM-v2Rs8');
}
