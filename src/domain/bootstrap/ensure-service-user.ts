import { Injectable } from '@nestjs/common';
import { RevokeOutrankedCredentials } from '../members/revoke-outranked-credentials.js';
import type { Role } from '../permissions/permissions.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import { CreateServiceUser } from '../service-users/create-service-user.js';
import { PersonalAccessTokens } from '../service-users/personal-access-tokens.js';
import { ServiceUsersStore } from '../service-users/service-users.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { UsersStore } from '../users/users.store.js';

export interface ServiceUserPlan {
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly role: Role;
}

interface TokenWishes {
  /** Tokens that are said to be theirs. */
  readonly held: readonly string[];
  /** Becomes theirs if they never had one: a run that was cut short had written it down. */
  readonly adopted?: string | undefined;
  /** Has one made if they never had one. */
  readonly issue: boolean;
  /** Has one made beside those that they have. */
  readonly renew: boolean;
}

export interface EnsuredServiceUser {
  readonly userId: UserId;
  readonly userName: string;
  /** Undefined if none is known and none was created. */
  readonly pat: string | undefined;
  /** False for one that is locked or deactivated, and if the name belongs to a human user. */
  readonly isUsable: boolean;
}

/** A program's account with one role and one personal access token. */
@Injectable()
export class EnsureServiceUser {
  constructor(
    private readonly users: UsersStore,
    private readonly serviceUsers: ServiceUsersStore,
    private readonly createServiceUser: CreateServiceUser,
    private readonly permissions: PermissionsStore,
    private readonly lowerMade: RevokeOutrankedCredentials,
    private readonly personalAccessTokens: PersonalAccessTokens,
  ) {}

  async execute(
    tx: Tx,
    orgId: OrgId,
    plan: ServiceUserPlan,
    { held, adopted, issue, renew }: TokenWishes,
  ): Promise<EnsuredServiceUser> {
    const { userName } = plan;
    const userId =
      (await this.users.findIdByName(tx, orgId, canonicalName(userName))) ??
      (await this.add(tx, orgId, plan));
    const account = await this.serviceUsers.lock(tx, orgId, userId);
    const isUsable = account !== undefined && account !== 'human' && account.state === 'active';
    const without = { userId, userName, pat: undefined, isUsable };
    if (!isUsable) return without;
    for (const pat of held) {
      if (await this.serviceUsers.isLiveToken(tx, userId, sha256(pat))) return { ...without, pat };
    }
    const hadAny = await this.serviceUsers.hadToken(tx, userId);
    if (!hadAny && adopted !== undefined) {
      return { ...without, pat: await this.issueToken(tx, orgId, userId, adopted) };
    }
    if (!issue || (hadAny && !renew)) return without;
    return { ...without, pat: await this.issueToken(tx, orgId, userId) };
  }

  private async add(tx: Tx, orgId: OrgId, plan: ServiceUserPlan): Promise<UserId> {
    const { userName, name, description, role } = plan;
    const added = {
      orgId,
      userId: undefined,
      userName,
      name,
      description,
      accessTokenType: 'opaque',
    } as const;
    const { id: userId } = await this.createServiceUser.execute(tx, added, null);
    const membership = { userId, userOrgId: orgId, role, orgId: role.startsWith('IAM_') ? null : orgId };
    await this.lowerMade.whileRolesChange(tx, userId, null, () => this.permissions.addFirst(tx, membership));
    return userId;
  }

  private async issueToken(tx: Tx, orgId: OrgId, userId: UserId, token?: string): Promise<string> {
    const change = { orgId, userId, actorId: null };
    return (await this.personalAccessTokens.add(tx, change, undefined, token)).token;
  }
}
