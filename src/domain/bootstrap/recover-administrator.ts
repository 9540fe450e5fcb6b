import { Injectable } from '@nestjs/common';
import { OPERATOR } from '../events/events.store.js';
import { RemoveAllFactors } from '../factors/remove-all-factors.js';
import { PermissionsStore, type InstanceOwner } from '../permissions/permissions.store.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { UsersStore } from '../users/users.store.js';
import type { HandedOutLink } from '../users/verification/hand-out-link.js';
import { HandOutRecoveryLink } from './hand-out-recovery-link.js';
import { RestoreAdministratorAccess } from './restore-administrator-access.js';

export interface RecoveredAdministrator {
  readonly loginName: string;
  readonly link: HandedOutLink;
  /** What kept them out until now. */
  readonly was: 'inactive' | 'locked' | undefined;
  /** Second factors were taken away, and with them every session and token. */
  readonly factorsGone: boolean;
}

interface RecoveryOptions {
  /** Account of the machine at which the command runs, for the audit log. */
  readonly osUser?: string | undefined;
  /** For whoever lost the second factor, too. */
  readonly resetFactors?: boolean;
}

/**
 * The way back in for an administrator who lost the password, for whoever may use the database already: hands out a
 * one-time link, and takes away what would keep them out. The password that they have holds until the link is used;
 * then every session and token of the user ends, as with any forgotten password (`ResetPassword`).
 */
@Injectable()
export class RecoverAdministrator {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly permissions: PermissionsStore,
    private readonly users: UsersStore,
    private readonly factors: RemoveAllFactors,
    private readonly letIn: RestoreAdministratorAccess,
    private readonly handOutLink: HandOutRecoveryLink,
  ) {}

  /**
   * @param named login name, user name or address; undefined means the one person who owns the instance
   * @throws ApiError not-found, failed-precondition
   */
  async execute(
    named: string | undefined,
    { osUser, resetFactors = false }: RecoveryOptions = {},
  ): Promise<RecoveredAdministrator> {
    return await this.unitOfWork.run(async (tx) => {
      await this.permissions.lockRolesShared(tx);
      const owner = ownerMeant(await this.permissions.listOwners(tx), named);
      const { orgId, userId, loginName } = owner;
      if (!owner.isOrganizationActive) {
        throw new ApiError('failed-precondition', `the organization of ${loginName} is deactivated`);
      }
      const user = await this.users.lockForUpdate(tx, orgId, userId);
      const factorsGone =
        resetFactors &&
        user !== undefined &&
        (await this.factors.execute(tx, { orgId, userId, actorId: OPERATOR as UserId }, user)) !== undefined;
      const was = await this.letIn.execute(tx, owner);
      const link = await this.handOutLink.execute(tx, owner, osUser);
      return { loginName, link, was, factorsGone };
    });
  }
}

function ownerMeant(owners: readonly InstanceOwner[], named: string | undefined): InstanceOwner {
  const people = owners.filter(({ type }) => type === 'human');
  const names = people.map(({ loginName }) => loginName).join(', ');
  if (people.length === 0) throw new ApiError('not-found', 'no person owns this instance');
  const meant = named === undefined ? people : calledBy(people, canonicalName(named));
  const [owner, ...others] = meant;
  if (owner === undefined) {
    throw new ApiError(
      'not-found',
      `${JSON.stringify(named)} is no owner of this instance, or there is no such user; its owners are: ${names}`,
    );
  }
  if (others.length > 0) {
    throw new ApiError('failed-precondition', `say which administrator by the login name: ${names}`);
  }
  return owner;
}

/** A login name is one user's alone; what one has for an address may be another's login name. */
function calledBy(people: readonly InstanceOwner[], canonical: string): readonly InstanceOwner[] {
  const isIt = (name: string): boolean => name !== '' && canonicalName(name) === canonical;
  const named = people.filter(({ loginName }) => isIt(loginName));
  return named.length > 0 ? named : people.filter(({ userName, email }) => isIt(userName) || isIt(email));
}
