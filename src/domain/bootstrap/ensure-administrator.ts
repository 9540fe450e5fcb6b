import { Injectable } from '@nestjs/common';
import { PermissionsStore } from '../permissions/permissions.store.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { domainOfUserName, userNameIn } from '../users/names/user-name.js';
import { UsersStore } from '../users/users.store.js';
import type { HandedOutLink } from '../users/verification/hand-out-link.js';
import { AddAdministrator } from './add-administrator.js';
import type { AdministratorPlan } from './choose-administrator-password.js';
import { GiveAdministratorPassword } from './give-administrator-password.js';
import { RecognizePassword } from './recognize-password.js';
import type { DefaultOrganization } from './set-up-instance.js';

interface PasswordWishes {
  /** Password that is said to be theirs. */
  readonly held: string | undefined;
  /** Has one made where none is configured, because there is somebody to keep it. */
  readonly makePassword: boolean;
}

export interface EnsuredAdministrator {
  /** Undefined when there is no such user, and none was made because somebody else owns the instance. */
  readonly userId: UserId | undefined;
  readonly loginName: string;
  /** Undefined if it is unknown: somebody chose another one, or there is none. */
  readonly password: string | undefined;
  readonly hasPassword: boolean;
  /** Where they set their first password. Only of one who was made by this very run. */
  readonly link: HandedOutLink | undefined;
}

type Ensured = Omit<EnsuredAdministrator, 'loginName'>;

/** Made only where nobody owns the instance. Who was demoted, deleted or locked afterwards stays so. */
@Injectable()
export class EnsureAdministrator {
  constructor(
    private readonly users: UsersStore,
    private readonly permissions: PermissionsStore,
    private readonly recognizePassword: RecognizePassword,
    private readonly givePassword: GiveAdministratorPassword,
    private readonly add: AddAdministrator,
  ) {}

  /** @throws ApiError invalid-argument for a configured password that is against the policy */
  async execute(
    tx: Tx,
    organization: DefaultOrganization,
    configured: AdministratorPlan,
    wishes: PasswordWishes,
  ): Promise<EnsuredAdministrator> {
    const { id: orgId, primaryDomain } = organization;
    const plan = { ...configured, userName: userNameOf(configured.userName, organization) };
    const loginName = `${plan.userName}@${primaryDomain}`;
    const known = await this.users.findIdByName(tx, orgId, canonicalName(plan.userName));
    if (known !== undefined)
      return { ...(await this.find(tx, organization, known, plan, wishes)), loginName };
    await this.permissions.lockRolesShared(tx);
    if ((await this.permissions.listOwners(tx)).length > 0) return { ...NOBODY, loginName };
    const added = await this.add.execute(tx, orgId, plan, wishes.makePassword);
    return { ...added, hasPassword: added.password !== undefined, loginName };
  }

  private async find(
    tx: Tx,
    { id: orgId }: DefaultOrganization,
    userId: UserId,
    plan: AdministratorPlan,
    { held, makePassword }: PasswordWishes,
  ): Promise<Ensured> {
    const recognized = await this.recognizePassword.execute(userId, [held, plan.password]);
    if (recognized.hasPassword) return { userId, ...recognized, link: undefined };
    const password = await this.givePassword.execute(tx, { orgId, userId }, plan, makePassword);
    return { userId, password, hasPassword: password !== undefined, link: undefined };
  }
}

const NOBODY: Ensured = { userId: undefined, password: undefined, hasPassword: false, link: undefined };

/** An operator may well configure the full login name. */
function userNameOf(configured: string, { id, primaryDomain }: DefaultOrganization): string {
  const isLoginName = domainOfUserName(configured) === primaryDomain;
  return userNameIn(id, configured, isLoginName ? { orgId: id, isPrimary: true } : undefined);
}
