import { PasswordHashing } from '../../src/domain/passwords/hashing/password-hashing.js';
import type { Role } from '../../src/domain/permissions/permissions.js';
import { PermissionsStore } from '../../src/domain/permissions/permissions.store.js';
import type { OrgId, UserId } from '../../src/domain/shared/ids.js';
import { randomToken } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { canonicalName } from '../../src/domain/users/names/canonical-name.js';
import type { HumanUser } from '../../src/domain/users/user.js';
import { UsersStore } from '../../src/domain/users/users.store.js';
import { TEST_BILL } from './hashing.js';
import type { World } from './world.js';

export const PASSWORD = 'Marker-Passw0rd!';

export interface TestUser {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  readonly loginName: string;
}

/** Somebody who has been there for a while: no mail is queued, and no event of today tells of them. */
export async function aUser(
  { api: { app }, orgId, domain }: World,
  changes: {
    /** As somebody brought it along. */
    readonly userId?: UserId;
    readonly userName?: string;
    readonly password?: string;
    readonly profile?: Partial<HumanUser['profile']>;
    readonly email?: HumanUser['email'];
    /** The user has shown that the mailbox of the verified address is theirs; otherwise somebody vouched for it. */
    readonly proven?: boolean;
    readonly phone?: NonNullable<HumanUser['phone']>;
  } = {},
): Promise<TestUser> {
  const [reserved] = await app.get(UsersStore).reserve([null]);
  if (reserved === undefined) throw new Error('no id');
  const userId = changes.userId ?? reserved.id;
  const userName = changes.userName ?? `user-${randomToken(6)}`.toLowerCase();
  const email = changes.email ?? { address: `${userName}@mail.test`, verified: true };
  const hashing = app.get(PasswordHashing);
  const hash = await hashing.hash(changes.password ?? PASSWORD, TEST_BILL);
  const identifiers = [{ kind: 'user_name' as const, canonical: canonicalName(userName) }];
  await app.get(UnitOfWork).run((tx) =>
    app.get(UsersStore).addHumans(tx, [
      {
        id: userId,
        orgId,
        userName,
        state: 'active',
        profile: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          displayName: 'Ada Lovelace',
          ...changes.profile,
        },
        email,
        ...(changes.phone === undefined ? {} : { phone: changes.phone }),
        identifiers: email.verified
          ? [
              ...identifiers,
              {
                kind: 'email' as const,
                canonical: canonicalName(email.address),
                proven: changes.proven ?? false,
              },
            ]
          : identifiers,
        password: { ...hashing.inspect(hash), hash, changeRequired: false, madeBy: null },
      },
    ]),
  );
  return { userId, orgId, userName, loginName: `${userName}@${domain}` };
}

/** A user who looks after their organization, or the instance. */
export async function aManager(
  world: World,
  role: Role,
  changes: Parameters<typeof aUser>[1] = {},
): Promise<TestUser> {
  const user = await aUser(world, changes);
  const { app } = world.api;
  await app.get(UnitOfWork).run((tx) =>
    app.get(PermissionsStore).add(tx, {
      userId: user.userId,
      userOrgId: user.orgId,
      role,
      orgId: role.startsWith('IAM_') ? null : user.orgId,
    }),
  );
  return user;
}
