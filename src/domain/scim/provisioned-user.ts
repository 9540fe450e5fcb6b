import type { AccountChange, LockedHuman } from '../accounts/account-changes.js';
import { inPerson } from '../permissions/acting.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import { canonicalName } from '../users/names/canonical-name.js';
import type { HumanProfile } from '../users/user.js';
import type { DirectoryEntry, HeldGroup, ProvisionedHuman } from './provisioning.store.js';
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

/** With the user's row locked. */
export type LockedProvisionedUser = ProvisionedUser & {
  readonly user: LockedHuman;
  readonly wasLocked: boolean;
};

/** What is wanted of a user as they are now. It is asked twice, and must give the same both times. */
export type WantedChange = (now: ProvisionedUser) => WantedUser;

export function changeOf(token: ScimToken, userId: UserId): AccountChange {
  return { orgId: token.orgId, userId, ...inPerson(actorOf(token)) };
}

/** @param entry undefined for somebody whom no directory made */
export function provisioned(
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
