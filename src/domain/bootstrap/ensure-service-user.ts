import { Injectable } from '@nestjs/common';
import type { Role } from '../permissions/permissions.js';
import { EndLowerMade } from '../members/end-lower-made.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/canonical-name.js';
import { CreateServiceUser } from '../users/machines/create-service-user.js';
import { PersonalAccessTokens } from '../users/machines/personal-access-tokens.js';
import { PersonalAccessTokensStore } from '../users/personal-access-tokens.store.js';
import { UsersStore } from '../users/users.store.js';

export interface ServiceUserPlan {
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly role: Role;
}

export interface EnsuredServiceUser {
  readonly userId: UserId;
  readonly userName: string;
  /** Undefined when none is held and none was to be issued. */
  readonly pat: string | undefined;
}

/** A program's account with one role and one personal access token. */
@Injectable()
export class EnsureServiceUser {
  constructor(
    private readonly users: UsersStore,
    private readonly createServiceUser: CreateServiceUser,
    private readonly permissions: PermissionsStore,
    private readonly lowerMade: EndLowerMade,
    private readonly tokens: PersonalAccessTokensStore,
    private readonly personalAccessTokens: PersonalAccessTokens,
  ) {}

  /** @param held token that is said to be theirs; with `issue` a new one takes its place when it is not */
  async execute(
    tx: Tx,
    orgId: OrgId,
    plan: ServiceUserPlan,
    held: string | undefined,
    issue: boolean,
  ): Promise<EnsuredServiceUser> {
    const { userName, role } = plan;
    const userId =
      (await this.users.findIdByName(tx, orgId, canonicalName(userName))) ??
      (await this.add(tx, orgId, plan));
    const membership = {
      userId,
      userOrgId: orgId,
      role,
      orgId: role.startsWith('IAM_') ? null : orgId,
    };
    // it may have been there before, made by somebody who is below that role
    await this.lowerMade.whileRolesChange(tx, userId, null, () => this.permissions.add(tx, membership));
    if (held !== undefined && (await this.tokens.isLive(tx, userId, sha256(held)))) {
      return { userId, userName, pat: held };
    }
    return { userId, userName, pat: issue ? await this.issueToken(tx, orgId, userId) : undefined };
  }

  private async add(tx: Tx, orgId: OrgId, { userName, name, description }: ServiceUserPlan): Promise<UserId> {
    const plan = {
      orgId,
      userId: undefined,
      userName,
      name,
      description,
      accessTokenType: 'opaque',
    } as const;
    return (await this.createServiceUser.execute(tx, plan, null)).id;
  }

  private async issueToken(tx: Tx, orgId: OrgId, userId: UserId): Promise<string> {
    const change = { orgId, userId, actorId: null };
    return (await this.personalAccessTokens.add(tx, change, undefined)).token;
  }
}
