import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';

/**
 * Users of both kinds. States: initial (a human without a password) → active ⇄ inactive, active ⇄ locked. Only
 * `initial` and `active` users can do anything; leaving them raises the token epoch, which ends every token,
 * session and grant that was issued before.
 */
export type UserState = (typeof USER_STATES)[number];

/** The states in which a user can do anything at all. */
export const USABLE_STATES = ['initial', 'active'] as const;
export type UsableState = (typeof USABLE_STATES)[number];
export const USER_STATES = [...USABLE_STATES, 'inactive', 'locked'] as const;

/** The APIs number them in this order, from 1 on. */
export const GENDERS = ['female', 'male', 'diverse'] as const;
export type Gender = (typeof GENDERS)[number];

/** What a human is called and where they live: the claims of OpenID Connect Core §5.1 that need no verification. */
export interface HumanProfile {
  readonly firstName: string;
  readonly lastName: string;
  readonly middleName?: string;
  readonly nickName?: string;
  readonly displayName?: string;
  /** BCP 47 tag. */
  readonly preferredLanguage?: string;
  readonly gender?: Gender;
  readonly profile?: string;
  readonly picture?: string;
  readonly website?: string;
  readonly birthdate?: string;
  readonly zoneinfo?: string;
  readonly address?: {
    readonly formatted?: string;
    readonly streetAddress?: string;
    readonly locality?: string;
    readonly region?: string;
    readonly postalCode?: string;
    readonly country?: string;
  };
}

export interface HumanUser {
  readonly type: 'human';
  readonly profile: HumanProfile & { readonly displayName: string };
  readonly email: {
    readonly address: string;
    readonly verified: boolean;
    /** Takes the place of a verified address once its code came back. */
    readonly pending?: string;
  };
  /** E.164 */
  readonly phone?: { readonly number: string; readonly verified: boolean };
}

export interface ServiceUser {
  readonly type: 'machine';
  readonly name: string;
  readonly description?: string;
  readonly accessTokenType: 'opaque' | 'jwt';
}

/** What users of both kinds have. */
export interface UserRecord {
  readonly id: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  /** `userName@<primary domain>` */
  readonly loginName: string;
  readonly state: UserState;
  readonly details: ResourceDetails;
}

export type User = UserRecord & (HumanUser | ServiceUser);
