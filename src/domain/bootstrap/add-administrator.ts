import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import { RevokeOutrankedCredentials } from '../members/revoke-outranked-credentials.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { UsersStore } from '../users/users.store.js';
import { HandOutLink, type HandedOutLink } from '../users/verification/hand-out-link.js';
import { CODE_LIFETIME_MS } from '../users/verification/verification-code.js';
import { ChooseAdministratorPassword, type AdministratorPlan } from './choose-administrator-password.js';

interface AddedAdministrator {
  readonly userId: UserId;
  /** Without one there is a link. */
  readonly password: string | undefined;
  readonly link: HandedOutLink | undefined;
}

/** The first human of an instance: its owner, with an address that counts as verified, so that no mail is queued for anybody. */
@Injectable()
export class AddAdministrator {
  constructor(
    private readonly choosePassword: ChooseAdministratorPassword,
    private readonly users: UsersStore,
    private readonly permissions: PermissionsStore,
    private readonly lowerMade: RevokeOutrankedCredentials,
    private readonly handOutLink: HandOutLink,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError invalid-argument for a configured password that is against the policy */
  async execute(
    tx: Tx,
    orgId: OrgId,
    plan: AdministratorPlan,
    makePassword: boolean,
  ): Promise<AddedAdministrator> {
    const chosen = await this.choosePassword.execute(orgId, plan, makePassword);
    const [reserved] = await this.users.reserve([null], tx);
    if (reserved === undefined) throw new Error('no id was reserved');
    const { id: userId } = reserved;
    const [created] = await this.users.addHumans(tx, [
      {
        id: userId,
        orgId,
        userName: plan.userName,
        state: chosen === undefined ? 'initial' : 'active',
        profile: { firstName: 'Instance', lastName: 'Administrator', displayName: 'Instance Administrator' },
        email: { address: plan.email, verified: true },
        identifiers: [
          { kind: 'user_name', canonical: canonicalName(plan.userName) },
          { kind: 'email', canonical: canonicalName(plan.email) },
        ],
        password: chosen && { ...chosen.encoded, changeRequired: false, madeBy: null },
      },
    ]);
    const change = { orgId, userId, actorId: null };
    await this.events.append(
      tx,
      userEvent(change, created?.details ?? { sequence: '1' }, 'user.human.added'),
    );
    const owner = { userId, userOrgId: orgId, role: 'IAM_OWNER', orgId: null } as const;
    await this.lowerMade.whileRolesChange(tx, userId, null, () => this.permissions.addFirst(tx, owner));
    if (chosen !== undefined) return { userId, password: chosen.password, link: undefined };
    const link = await this.handOutLink.execute(tx, {
      orgId,
      userId,
      purpose: 'initialise',
      target: plan.email,
      lifetimeMs: CODE_LIFETIME_MS.initialise,
    });
    return { userId, password: undefined, link };
  }
}
