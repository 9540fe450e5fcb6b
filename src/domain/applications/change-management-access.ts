import { Injectable } from '@nestjs/common';
import { AuthorizationsStore } from '../authorizations/authorizations.store.js';
import { ConsentsStore } from '../consents/consents.store.js';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { isMoreThan, mostToGive, type ManagementAccess } from '../permissions/management-access.js';
import { ApiError } from '../shared/errors.js';
import type { ApplicationId, OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ApplicationsStore } from './applications.store.js';

const WHO_MAY: Readonly<Record<Exclude<ManagementAccess, 'none'>, string>> = {
  organization: 'an owner of the organization or of the instance',
  instance: 'an owner of the instance',
};

/**
 * Who may let an application act on the service's own APIs, and what its being changed or lowered means. What an
 * application with access is (its name, redirect URIs, secrets and keys) decides who acts by it, so only who could give
 * that access changes it; whoever else may change the application lowers the access first.
 */
@Injectable()
export class ChangeManagementAccess {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly roles: EffectiveRoles,
    private readonly consents: ConsentsStore,
    private readonly authorizations: AuthorizationsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError permission-denied for more than the actor may give */
  async requireMayGive(tx: Tx, acting: Acting, orgId: OrgId, access: ManagementAccess): Promise<void> {
    if (access === 'none') return;
    const roles = (await this.roles.inOrganization(acting, orgId, tx)) ?? [];
    if (!isMoreThan(access, mostToGive(roles))) return;
    throw new ApiError(
      'permission-denied',
      `managementAccess "${access}" is given by ${WHO_MAY[access]}`,
      'COMMAND-mA3gv',
    );
  }

  /**
   * Before an application is changed in any way that decides who acts by it.
   * @throws ApiError permission-denied
   */
  async requireMayChange(
    tx: Tx,
    acting: Acting,
    { orgId, id }: { readonly orgId: OrgId; readonly id: ApplicationId },
  ): Promise<void> {
    const before = await this.applications.lockAccess(tx, id);
    // of another organization, or gone: whoever changes it says so
    if (before?.orgId !== orgId || before.access === 'none') return;
    const { access } = before;
    const roles = (await this.roles.inOrganization(acting, orgId, tx)) ?? [];
    if (!isMoreThan(access, mostToGive(roles))) return;
    throw new ApiError(
      'permission-denied',
      `The application has managementAccess "${access}": it is changed by ${WHO_MAY[access]}, or after that is lowered`,
      'COMMAND-mA5ch',
    );
  }

  /**
   * Gives an application what was asked for. Less than it had ends at once what it allowed; the same again makes the
   * actor answer for it, save that what bootstrap made stays bootstrap's.
   *
   * @returns what the application's sequence was, where this counted as a change of it
   * @throws ApiError permission-denied
   */
  async change(
    tx: Tx,
    acting: Acting,
    { orgId, id }: { readonly orgId: OrgId; readonly id: ApplicationId },
    access: ManagementAccess,
  ): Promise<string | undefined> {
    const before = await this.applications.lockAccess(tx, id);
    if (before?.orgId !== orgId) return undefined;
    await this.requireMayGive(tx, acting, orgId, access);
    if (before.access === access && (access === 'none' || before.firstParty)) return undefined;
    const { actorId } = acting;
    const givenBy = access === 'none' ? null : actorId;
    const { sequence } = await this.applications.setAccess(tx, id, { access, givenBy });
    if (isMoreThan(before.access, access)) {
      await this.consents.lower(tx, id, access);
      if (access === 'none') await this.authorizations.revokeForApi(tx, id, 'management_access_taken');
    }
    await this.events.append(tx, {
      orgId,
      aggregateType: 'application',
      aggregateId: id,
      sequence,
      type: 'application.management_access.changed',
      actorId,
      fields: ['managementAccess'],
      data: { from: before.access, to: access },
    });
    return String(BigInt(sequence) - 1n);
  }
}
