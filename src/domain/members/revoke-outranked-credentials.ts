import { Injectable } from '@nestjs/common';
import { ManageConsents } from '../consents/manage-consents.js';
import { inPerson } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { outranksOrEquals, type HeldRole } from '../permissions/rank.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { ApplicationId, OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import { CredentialsStore, type CredentialOfUser, type MadeCredential } from './credentials.store.js';

/** What somebody may have opened sessions with. */
const SIGNS_IN: ReadonlySet<MadeCredential['kind']> = new Set(['password', 'passkey', 'identity']);

interface Rising {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly before: readonly HeldRole[];
}

function ownersOf(orgId: OrgId): readonly HeldRole[] {
  return [{ role: 'ORG_OWNER', orgId }];
}

/**
 * Whoever made a credential can act by it. `RequireRank` keeps them from making one for somebody above them, and this
 * keeps the user from rising above them with it: what a lower rank made ends in the transaction in which its user
 * rises. All that gives roles does it inside of this.
 */
@Injectable()
export class RevokeOutrankedCredentials {
  constructor(
    private readonly roles: EffectiveRoles,
    private readonly credentials: CredentialsStore,
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly consents: ManageConsents,
  ) {}

  /** @param change sets the user's roles @returns its result, and what ended */
  async whileRolesChange<T>(
    tx: Tx,
    userId: UserId,
    actorId: UserId | null,
    change: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly ended: readonly MadeCredential[] }> {
    const orgId = await this.credentials.lock(tx, userId);
    const before = await this.roles.everywhere(inPerson(userId), tx);
    const result = await change();
    const after = await this.roles.everywhere(inPerson(userId), tx);
    // nobody is there whom anything could have been made for; who reaches no further than before could have been spoken for by the
    // same people
    if (orgId === undefined || outranksOrEquals(before, after)) return { result, ended: [] };
    const ended: MadeCredential[] = [];
    for (const credential of await this.credentials.list(tx, userId)) {
      if (outranksOrEquals(await this.rankOfMaker(tx, { userId, orgId, before }, credential), after))
        continue;
      ended.push({ kind: credential.kind, id: credential.id });
    }
    const credentials = ended.filter(({ kind }) => kind !== 'application');
    if (credentials.length > 0) await this.credentials.end(tx, userId, credentials, actorId);
    // the provider of an organization speaks for nobody above its owners; what it said before may have let somebody else in
    const providerOwners = await this.credentials.listProviderOwners(tx, userId);
    const isAboveProviderOwner = providerOwners.some((owner) => !outranksOrEquals(ownersOf(owner), after));
    if (isAboveProviderOwner) await this.users.raiseEpoch(tx, orgId, userId);
    if (isAboveProviderOwner || ended.some(({ kind }) => SIGNS_IN.has(kind))) {
      await this.sessions.endOfUser(tx, { orgId, userId }, 'user_promoted', actorId);
    }
    for (const { kind, id } of ended) {
      if (kind !== 'application') continue;
      const why = { actorId, reason: 'user_promoted' };
      await this.consents.withdraw(tx, { orgId, userId }, id as ApplicationId, why);
    }
    return { result, ended };
  }

  /**
   * What a user made for themselves was made in their old rank, perhaps by a credential of somebody else's. The same holds
   * for what a maker made for others before they rose.
   */
  private async rankOfMaker(
    tx: Tx,
    { userId, orgId, before }: Rising,
    { madeBy, madeAt }: CredentialOfUser,
  ): Promise<readonly HeldRole[]> {
    if (madeBy === undefined) return [];
    if (madeBy === 'operator') return [{ role: 'IAM_OWNER', orgId: null }];
    if (madeBy === 'organization') return ownersOf(orgId);
    if (madeBy === userId) return before;
    return madeAt === undefined ? [] : await this.roles.ofMaker(tx, madeBy, madeAt);
  }
}
