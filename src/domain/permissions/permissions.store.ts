import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Acting } from './acting.js';
import type { AgreedAccess } from './management-access.js';
import type { Role } from './permissions.js';
import type { HeldRole } from './rank.js';

export interface Membership {
  readonly userId: UserId;
  readonly userOrgId: OrgId;
  readonly role: Role;
  /** Where an `ORG_…` role holds; null for an `IAM_…` role. */
  readonly orgId: OrgId | null;
}

/** What is on file of somebody who acts, for `effectiveRoles` to judge. */
export interface RolesInEffect {
  readonly held: readonly HeldRole[];
  /** Null for a token of the user's own; undefined for an application that is gone or at rest. */
  readonly application: AgreedAccess | null | undefined;
  /** They must have a second factor, have none, and may not put it off any more. */
  readonly factorOverdue: boolean;
}

/** Somebody with the role IAM_OWNER. */
export interface InstanceOwner {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly type: 'human' | 'machine';
  readonly userName: string;
  /** `userName@<primary domain>` */
  readonly loginName: string;
  /** Empty where there is none. */
  readonly email: string;
  readonly isOrganizationActive: boolean;
}

/** What users may do, and who owns the instance: the users with the role IAM_OWNER. */
export abstract class PermissionsStore {
  /**
   * One prepared statement. Only `EffectiveRoles` asks: nobody else may take what is held for what counts.
   *
   * @param orgId where roles must count; null for all that the user holds anywhere
   * @returns undefined when there is no such organization
   */
  abstract findRolesInEffect(
    acting: Acting,
    orgId: OrgId | null,
    tx?: Tx,
  ): Promise<RolesInEffect | undefined>;

  /**
   * What a user holds now and held at a moment, too: for `EffectiveRoles` alone.
   * @param moment as the database writes it
   */
  abstract findHeldSince(tx: Tx, userId: UserId, moment: string): Promise<readonly HeldRole[]>;

  /** Of a user who was made in the same transaction, and never was without it. */
  abstract addFirst(tx: Tx, membership: Membership): Promise<void>;

  /** @returns false when the user held the role before */
  abstract add(tx: Tx, membership: Membership): Promise<boolean>;

  /** Changes of the instance's roles wait until the transaction ends; others who call this do not. */
  abstract lockRolesShared(tx: Tx): Promise<void>;

  /** Whoever calls this after us waits until the transaction ends: those who shut owners out. */
  abstract takeOwnersTurn(tx: Tx): Promise<void>;

  abstract isOwner(tx: Tx, userId: UserId): Promise<boolean>;

  /** Whether an owner, in whatever state, lives in the organization. */
  abstract isHomeOfOwner(tx: Tx, orgId: OrgId): Promise<boolean>;

  /** Whatever their state. */
  abstract listOwners(tx: Tx): Promise<readonly InstanceOwner[]>;

  /** Whether an organization of them, or more, would have no other owner who is active. */
  abstract isOrganizationsLastOwner(tx: Tx, userId: UserId): Promise<boolean>;

  abstract ownsOrganization(tx: Tx, userId: UserId): Promise<boolean>;

  /** How many active users of active organizations own the instance. */
  abstract countOwners(tx: Tx): Promise<number>;
}
