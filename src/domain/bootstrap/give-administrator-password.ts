import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { ChooseAdministratorPassword, type AdministratorPlan } from './choose-administrator-password.js';

/** An administrator without a password lacks one: nobody has signed in as them yet, so there is nothing to replace. */
@Injectable()
export class GiveAdministratorPassword {
  constructor(
    private readonly choosePassword: ChooseAdministratorPassword,
    private readonly users: UsersStore,
    private readonly permissions: PermissionsStore,
    private readonly passwords: PasswordsStore,
    private readonly codes: VerificationCodesStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * Their one-time link ends with it.
   * @returns undefined where they get none: there is none to give, or they are no owner who waits for one
   * @throws ApiError invalid-argument for a configured password that is against the policy
   */
  async execute(
    tx: Tx,
    { orgId, userId }: { readonly orgId: OrgId; readonly userId: UserId },
    plan: AdministratorPlan,
    makePassword: boolean,
  ): Promise<string | undefined> {
    if (plan.password === undefined && !makePassword) return undefined;
    if ((await this.users.findState(tx, orgId, userId)) !== 'initial') return undefined;
    if (!(await this.permissions.isOwner(tx, userId))) return undefined;
    const chosen = await this.choosePassword.execute(orgId, plan, makePassword);
    if (chosen === undefined) return undefined;
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: true });
    if (details === undefined) return undefined;
    await this.passwords.set(tx, { ...chosen.encoded, orgId, userId, changeRequired: false, madeBy: null });
    await this.codes.endLive(tx, userId, 'initialise');
    const change = { orgId, userId, actorId: null };
    await this.events.append(tx, userEvent(change, details, 'user.human.password.set'));
    return chosen.password;
  }
}
