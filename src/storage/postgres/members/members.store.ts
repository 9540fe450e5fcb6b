import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, type EntityManager } from 'typeorm';
import { MembersStore, type Member, type MemberPlace } from '../../../domain/members/members.store.js';
import type { Role } from '../../../domain/permissions/permissions.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { advisoryLock } from '../advisory-lock.js';
import { instanceOwner } from '../instance-owner.js';
import { PagedQuery } from '../query.js';
import { Sql } from '../sql.js';
import { detailsWithOwner, pick, SET_ANEW, Table } from '../table.js';
import type { CountedChanges } from '../tables/counted-changes.js';
import { MembershipEntity } from '../tables/membership.entity.js';
import { OrganizationDomainEntity } from '../tables/organization.entity.js';
import { ServiceUserEntity, UserEntity, UserHumanEntity } from '../tables/user.entity.js';
import { loginName } from '../users/login-name.js';

/** Each user once, with all roles that they hold in a place. */
function members(entities: EntityManager) {
  return entities
    .createQueryBuilder(MembershipEntity, 'm')
    .select('m.userId', 'userId')
    .addSelect('u.orgId', 'userOrgId')
    .addSelect('u.userName', 'userName')
    .addSelect(loginName('u.userName', 'd.domain'), 'loginName')
    .addSelect('coalesce(h.displayName, s.name, u.userName)', 'displayName')
    .addSelect('u.type', 'userType')
    .addSelect('array_agg(m.role ORDER BY m.role)', 'roles')
    .addSelect('max(m.sequence)', 'sequence')
    .addSelect('min(m.createdAt)', 'createdAt')
    .addSelect('max(m.changedAt)', 'changedAt')
    .innerJoin(UserEntity, 'u', 'u.id = m.userId')
    .leftJoin(UserHumanEntity, 'h', 'h.userId = u.id')
    .leftJoin(ServiceUserEntity, 's', 's.userId = u.id')
    .leftJoin(OrganizationDomainEntity, 'd', 'd.orgId = u.orgId AND d.primary')
    .where('m.orgId IS NOT DISTINCT FROM :place')
    .groupBy('m.userId')
    .addGroupBy('u.orgId')
    .addGroupBy('u.userName')
    .addGroupBy('u.type')
    .addGroupBy('h.displayName')
    .addGroupBy('s.name')
    .addGroupBy('d.domain');
}

/** The rows of roles that are added together may differ by microseconds: the highest is the number of the member. */
function highest(rows: readonly MembershipEntity[]): bigint | undefined {
  const [first, ...more] = rows.map(({ sequence }) => BigInt(sequence));
  return more.reduce((most, count) => (most !== undefined && most > count ? most : count), first);
}

type MemberRow = Omit<Member, 'details'> & Pick<UserEntity, 'userName'> & CountedChanges;

@Injectable()
export class PgMembersStore extends MembersStore {
  private readonly memberships: Table<MembershipEntity>;
  private readonly pages: PagedQuery<MemberRow, { place: MemberPlace }>;
  private readonly users: Table<UserEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.memberships = new Table(sql, MembershipEntity);
    this.pages = new PagedQuery(sql, 'members-list', members, {
      id: 'userId',
      name: 'displayName',
      filters: { role: (role) => `${role}::text = ANY ("roles")` },
    });
    this.users = new Table(sql, UserEntity);
  }

  override async lock(tx: Tx, place: MemberPlace): Promise<void> {
    await advisoryLock(this.sql, tx, 'members', place ?? '');
  }

  override async lockUserForUpdate(tx: Tx, userId: UserId, orgId: OrgId | null): Promise<boolean> {
    // a deleted user stays as a row, so deleting takes FOR NO KEY UPDATE (users-lock-for-update), for which this waits.
    // Two changes of one user in two places wait for each other, too: what ended by a promotion is judged by all roles
    // together. It comes after the lock of the place, as the locks of KeepOwner come before any row: whoever deletes never
    // waits for that of an organization, and that of the instance they have before they touch the user
    const where = { id: userId, state: Not('deleted' as const), ...(orgId !== null && { orgId }) };
    return (await this.users.find(where, tx, 'lock')) !== undefined;
  }

  override async findRoles(tx: Tx, place: MemberPlace, userId: UserId): Promise<readonly Role[]> {
    const rows = await this.memberships.list({ userId, orgId: place ?? IsNull() }, { role: 'ASC' }, tx);
    return rows.map(({ role }) => role);
  }

  override async list(place: MemberPlace, query: PageQuery): Promise<Page<Member>> {
    const owner = await this.ownerOf(place);
    return await this.pages.list(query, { place }, (row) => ({
      ...pick(row, ['userId', 'userOrgId', 'loginName', 'displayName', 'userType', 'roles']),
      details: detailsWithOwner(owner, row),
    }));
  }

  override async setRoles(
    tx: Tx,
    place: MemberPlace,
    userId: UserId,
    roles: readonly Role[],
  ): Promise<ResourceDetails> {
    const orgId = place ?? IsNull();
    const user = await this.users.find({ id: userId }, tx);
    if (user === undefined) throw new Error('nobody can have a role who is not there');
    const earlier = await this.memberships.list({ userId, orgId }, { createdAt: 'ASC' }, tx);
    const [first] = earlier;
    const counted = highest(earlier);
    const next = counted === undefined ? undefined : counted + 1n;
    const removed = await this.memberships.remove(tx, { userId, orgId, role: Not(In(roles)) });
    const held = {
      userId,
      userOrgId: user.orgId,
      orgId: place,
      // a user who was removed may be a member again: no number from before may fit
      sequence: next === undefined ? () => SET_ANEW : String(next),
      changedAt: () => 'app_now()',
    };
    const rows = await this.memberships.putAll(
      tx,
      // a role that is new is held from now on, whatever else they held before: what they made earlier is judged by that
      roles.map((role) => ({ ...held, role })),
      ['userId', 'role', 'orgId'],
      ['sequence', 'changedAt'],
    );
    const createdAt = first?.createdAt ?? rows[0]?.createdAt;
    const changedAt = rows.at(-1)?.changedAt ?? removed[0]?.at;
    const sequence = highest(rows) ?? next;
    if (createdAt === undefined || changedAt === undefined || sequence === undefined)
      throw new Error('no role was set and none removed');
    return detailsWithOwner(await this.ownerOf(place, tx), {
      sequence: String(sequence),
      createdAt,
      changedAt,
    });
  }

  /** What belongs to the instance is shown as its first organization's. */
  private async ownerOf(place: MemberPlace, tx?: Tx): Promise<OrgId> {
    return place ?? (await instanceOwner(this.sql, tx));
  }
}
