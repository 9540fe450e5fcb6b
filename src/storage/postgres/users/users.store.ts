// SQL by hand: a user is read from four tables by one prepared statement, and names are taken and freed on condition
import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { provesName } from '../../../domain/users/email-address.js';
import type { UserFilter } from '../../../domain/users/user-filter.js';
import type { UserList, UserListQuery } from '../../../domain/users/user-list.js';
import { USABLE_STATES, type HumanUser, type User, type UserState } from '../../../domain/users/user.js';
import {
  UsersStore,
  type AnySignInMethod,
  type CreatedUser,
  type EmailConfirmation,
  type LockedUser,
  type NewHuman,
  type NewServiceUser,
  type ReservedUser,
  type UserMetadata,
} from '../../../domain/users/users.store.js';
import { LaggingReads } from '../lagging-reads.js';
import { pageFrom, shownOf, type ViewRow } from '../page-of-rows.js';
import { Query } from '../query.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { CountedTable, detailsOf, detailsOfNew, raised, Table, type Changes } from '../table.js';
import { LoginIdentifierEntity } from '../tables/login-identifier.entity.js';
import { UserMetadataEntity } from '../tables/user-metadata.entity.js';
import { ServiceUserEntity, UserEntity, UserHumanEntity } from '../tables/user.entity.js';
import { rememberNamesOfUser } from '../user-migration/former-names.js';
import { eraseUsers, type ErasedRow } from './erase-users.js';
import {
  COUNT_METADATA,
  LIST_METADATA,
  metadataOf,
  otherMetadata,
  SET_METADATA,
  type MetadataRow,
} from './metadata-statements.js';
import { UserLists } from './user-list.js';
import {
  ADD_HUMANS,
  humanToRow,
  profileToRow,
  toUser,
  USER_COLUMNS,
  USER_JOINS,
  type UserRow,
} from './user-rows.js';
import { UserSearch } from './user-search.js';
import { FIND_ANY_WAY_IN, USABLE_AGAIN } from './ways-in.js';

const RESERVE = {
  name: 'users-reserve',
  text: `
    SELECT new_id() AS id, d.org_id AS domain_org_id, d.is_primary AS domain_is_primary
    FROM unnest($1::text[]) WITH ORDINALITY AS asked (domain, place)
    LEFT JOIN organization_domains d ON d.domain = asked.domain AND d.is_verified
    ORDER BY asked.place`,
};

const OF_ORGANIZATION = `
    SELECT ${USER_COLUMNS}
    FROM users u ${USER_JOINS}
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted'`;
const FIND = { name: 'users-find', text: OF_ORGANIZATION };
// NO KEY, so that inserting a row that refers to the user (a session, a code) does not wait
const LOCK_FOR_UPDATE = {
  name: 'users-lock-for-update',
  text: `SELECT id FROM users WHERE org_id = $1 AND id = $2 AND state <> 'deleted' FOR NO KEY UPDATE`,
};

// a name of another user is not taken over: the condition of DO UPDATE fails then, and `named` has no row
const CONFIRM_EMAIL = {
  name: 'users-confirm-email',
  text: `
    WITH verified AS (
      UPDATE user_humans SET email = $3, email_verified = true,
        pending_email = CASE WHEN pending_email <> $3 THEN pending_email END
      WHERE org_id = $1 AND user_id = $2 AND $3 IN (email, pending_email)
      RETURNING org_id, user_id
    ), former AS (
      DELETE FROM login_identifiers i USING verified v
      WHERE i.user_id = v.user_id AND i.kind = 'email' AND i.canonical <> $4
    ), named AS (
      INSERT INTO login_identifiers AS known (org_id, kind, canonical, user_id, proven)
      SELECT org_id, 'email', $4, user_id, $5 FROM verified
      ON CONFLICT ON CONSTRAINT login_identifiers_pkey DO UPDATE SET proven = excluded.proven
      WHERE known.user_id = excluded.user_id
      RETURNING known.user_id
    )
    SELECT EXISTS (SELECT FROM verified) AS is_address, EXISTS (SELECT FROM named) AS is_free`,
};

// verified by a manager: `proven` stays only if this user has proven this very address before
const NAME_EMAIL = {
  name: 'users-name-email',
  text: `
    INSERT INTO login_identifiers AS known (org_id, kind, canonical, user_id) VALUES ($1, 'email', $3, $2)
    ON CONFLICT ON CONSTRAINT login_identifiers_pkey DO UPDATE SET proven = known.proven AND $4
    WHERE known.user_id = excluded.user_id`,
};

const ERASE = eraseUsers('users-erase');

type CreatedRow = Pick<UserEntity, 'id' | 'orgId' | 'sequence' | 'createdAt' | 'changedAt'>;
type ReservedRow = { id: UserId; domain_org_id: OrgId | null; domain_is_primary: boolean | null };

const TAKEN = { login_identifiers_pkey: alreadyExists, users_pkey: alreadyExists };

function alreadyExists(): ApiError {
  return new ApiError('already-exists', 'User already exists', 'V3-DKcYh');
}

@Injectable()
export class PgUsersStore extends UsersStore {
  private readonly rows: CountedTable<UserEntity>;
  private readonly humans: Table<UserHumanEntity>;
  private readonly machines: Table<ServiceUserEntity>;
  private readonly names: Table<LoginIdentifierEntity>;
  private readonly metadata: CountedTable<UserMetadataEntity>;
  private readonly otherMetadata: Query<
    { keys: number; bytes: number },
    { orgId: OrgId; userId: UserId; key: string }
  >;
  private readonly lists: UserLists;
  private readonly searches: UserSearch;

  constructor(
    private readonly sql: Sql,
    reads: LaggingReads,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new CountedTable(sql, UserEntity);
    this.humans = new Table(sql, UserHumanEntity);
    this.machines = new Table(sql, ServiceUserEntity);
    this.names = new Table(sql, LoginIdentifierEntity);
    this.metadata = new CountedTable(sql, UserMetadataEntity);
    this.otherMetadata = new Query(sql, 'user-metadata-measure-others', otherMetadata);
    this.lists = new UserLists(reads);
    this.searches = new UserSearch(reads);
  }

  override async reserve(domains: readonly (string | null)[], tx?: Tx): Promise<readonly ReservedUser[]> {
    const rows = await this.reserveRows(domains, tx);
    return rows.map((row) => ({
      id: row.id,
      domainOwner:
        row.domain_org_id === null
          ? undefined
          : { orgId: row.domain_org_id, isPrimary: row.domain_is_primary === true },
    }));
  }

  /**
   * One id is drawn on a pipelined connection: a draw that is repeated because its answer was lost only skips a number.
   */
  private async reserveRows(domains: readonly (string | null)[], tx?: Tx): Promise<readonly ReservedRow[]> {
    if (domains.length !== 1 || tx !== undefined) return await this.sql.rows(RESERVE, [domains], tx);
    const row = await this.sql.pipelined<ReservedRow>(RESERVE, [domains]);
    return row === undefined ? [] : [row];
  }

  override async addHumans(tx: Tx, humans: readonly NewHuman[]): Promise<readonly CreatedUser[]> {
    const records = JSON.stringify(humans.map(humanToRow));
    const rows = await mapUniqueViolations(this.sql.rows<CreatedRow>(ADD_HUMANS, [records], tx), TAKEN);
    return rows.map((row) => ({ id: row.id, details: detailsOf(row) }));
  }

  override async addServiceUser(tx: Tx, machine: NewServiceUser): Promise<CreatedUser> {
    return await mapUniqueViolations(this.addMachine(tx, machine), TAKEN);
  }

  private async addMachine(
    tx: Tx,
    { id, orgId, userName, canonicalUserName: canonical, ...settings }: NewServiceUser,
  ): Promise<CreatedUser> {
    const given = id === undefined ? {} : { id };
    const user = await this.rows.add(tx, { ...given, orgId, type: 'machine', userName });
    await this.machines.add(tx, { userId: user.id, orgId, ...settings });
    await this.names.add(tx, { orgId, kind: 'user_name', canonical, userId: user.id });
    return { id: user.id, details: detailsOf(user) };
  }

  override async find(orgId: OrgId, id: UserId): Promise<User | undefined> {
    const row = await this.sql.pipelined<UserRow>(FIND, [orgId, id]);
    return row && toUser(row);
  }

  override list(orgId: OrgId, query: UserListQuery): Promise<UserList> {
    return this.lists.list(orgId, query);
  }

  override search(orgId: OrgId, filters: readonly UserFilter[], page: PageQuery): Promise<Page<User>> {
    return this.searches.search(orgId, filters, page);
  }

  override async findIdByName(tx: Tx, orgId: OrgId, canonicalUserName: string): Promise<UserId | undefined> {
    const name = { orgId, kind: 'user_name', canonical: canonicalUserName } as const;
    return (await this.names.find(name, tx))?.userId;
  }

  override async findState(tx: Tx, orgId: OrgId, id: UserId): Promise<UserState | undefined> {
    const state = (await this.rows.find({ orgId, id }, tx))?.state;
    return state === 'deleted' ? undefined : state;
  }

  override async deactivate(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined> {
    const before = { orgId, id, state: Not(In(['inactive', 'deleted'] as const)) };
    return await this.rows.changeOne(tx, before, { state: 'inactive' });
  }

  override async reactivate(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, { orgId, id, state: 'inactive' }, { state: () => USABLE_AGAIN });
  }

  override async lock(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined> {
    return await this.changeUsable(tx, orgId, id, { state: 'locked' });
  }

  override async unlock(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, { orgId, id, state: 'locked' }, { state: () => USABLE_AGAIN });
  }

  override async raiseEpoch(tx: Tx, orgId: OrgId, id: UserId): Promise<void> {
    await this.rows.change(tx, { orgId, id }, { tokenEpoch: raised(UserEntity, 'tokenEpoch') });
  }

  override async lockForUpdate(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedUser | undefined> {
    const locked = await this.sql.row(LOCK_FOR_UPDATE, [orgId, id], tx);
    if (locked === undefined) return undefined;
    // only now: a statement that waits for a lock sees rows of other tables, the profile and the addresses, as they were before the wait
    const row = await this.sql.row<UserRow>(FIND, [orgId, id], tx);
    return row && { ...toUser(row), locked: true };
  }

  override async confirmEmail(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    address: string,
    canonicalAddress: string,
    proven: boolean,
  ): Promise<EmailConfirmation> {
    await this.rememberNames(tx, orgId, id);
    const values = [orgId, id, address, canonicalAddress, proven];
    const row = await this.sql.row<{ is_address: boolean; is_free: boolean }>(CONFIRM_EMAIL, values, tx);
    if (row?.is_address !== true) return 'changed';
    return row.is_free ? 'confirmed' : 'taken';
  }

  override async confirmPhone(tx: Tx, orgId: OrgId, id: UserId, phone: string): Promise<boolean> {
    const theirs = { orgId, userId: id, phone };
    return (await this.humans.changeAll(tx, theirs, { phoneVerified: true })) === 1;
  }

  override async recordChange(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    { newPassword }: { readonly newPassword: boolean },
  ): Promise<ResourceDetails | undefined> {
    return await this.changeUsable(tx, orgId, id, newPassword ? { state: 'active' } : {});
  }

  override async replaceProfile(
    tx: Tx,
    user: LockedUser,
    profile: HumanUser['profile'],
  ): Promise<ResourceDetails> {
    return await this.changeHuman(tx, user, profileToRow(profile));
  }

  override async replaceEmail(
    tx: Tx,
    user: LockedUser,
    { address: email, verified: emailVerified, pending }: HumanUser['email'],
    canonicalAddress: string,
  ): Promise<ResourceDetails> {
    const { orgId, id: userId } = user;
    await this.rememberNames(tx, orgId, userId);
    const details = await this.changeHuman(tx, user, {
      email,
      emailVerified,
      pendingEmail: pending ?? null,
    });
    const others = emailVerified ? { canonical: Not(canonicalAddress) } : {};
    await this.names.remove(tx, { orgId, userId, kind: 'email', ...others });
    const name = [orgId, userId, canonicalAddress, provesName(email)];
    if (emailVerified && (await this.sql.change(NAME_EMAIL, name, tx)) === 0) {
      throw new ApiError('already-exists', 'Email already exists', 'V3-DKcYh');
    }
    return details;
  }

  override async replacePhone(tx: Tx, user: LockedUser, phone: HumanUser['phone']): Promise<ResourceDetails> {
    return await this.changeHuman(tx, user, {
      phone: phone?.number ?? null,
      phoneVerified: phone?.verified ?? false,
    });
  }

  override async replaceUserName(
    tx: Tx,
    user: LockedUser,
    userName: string,
    canonical: string,
  ): Promise<ResourceDetails> {
    const { orgId, id: userId } = user;
    await this.rememberNames(tx, orgId, userId);
    const named = this.names.change(tx, { orgId, userId, kind: 'user_name' }, { canonical });
    await mapUniqueViolations(named, TAKEN);
    return await this.changeLocked(tx, user, { userName });
  }

  override async findSignInMethods(tx: Tx, userId: UserId): Promise<AnySignInMethod> {
    const found = await this.sql.row<AnySignInMethod & Record<string, unknown>>(
      FIND_ANY_WAY_IN,
      [userId],
      tx,
    );
    if (found === undefined) throw new Error('an aggregate has one row');
    return found;
  }

  override async countChange(tx: Tx, user: LockedUser): Promise<ResourceDetails> {
    return await this.changeLocked(tx, user, {});
  }

  private async rememberNames(tx: Tx, orgId: OrgId, userId: UserId, isDeleted = false): Promise<void> {
    await rememberNamesOfUser(this.sql, this.sealer, tx, { orgId, userId, isDeleted });
  }

  override async erase(tx: Tx, { orgId, id }: LockedUser): Promise<ResourceDetails> {
    await this.rememberNames(tx, orgId, id, true);
    const row = await this.sql.row<ErasedRow>(ERASE, [orgId, [id], 'user_deleted'], tx);
    if (row === undefined) throw nobodyLocked();
    return detailsOf(row);
  }

  override async findMetadata(
    orgId: OrgId,
    userId: UserId,
    key: string,
    tx?: Tx,
  ): Promise<UserMetadata | undefined> {
    const row = await this.metadata.find({ orgId, userId, key }, tx);
    return row && metadataOf(row);
  }

  override async listMetadata(
    orgId: OrgId,
    userId: UserId,
    startsWith: string,
    page: PageQuery,
  ): Promise<Page<UserMetadata>> {
    const statement = page.ascending ? LIST_METADATA.ascending : LIST_METADATA.descending;
    const of = [orgId, userId, startsWith];
    const values = [...of, page.offset, page.limit, page.after?.id];
    const rows = await this.sql.rows<MetadataRow>(statement, values);
    const { shown, ...next } = shownOf(rows, page, ({ key }) => ({ key, id: key }));
    return { ...pageFrom(shown.map(metadataOf), await this.sql.row<ViewRow>(COUNT_METADATA, of)), ...next };
  }

  override async measureOtherMetadata(tx: Tx, orgId: OrgId, userId: UserId, key: string) {
    return (await this.otherMetadata.row({ orgId, userId, key }, tx)) ?? { keys: 0, bytes: 0 };
  }

  override async setMetadata(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
    value: Buffer,
  ): Promise<ResourceDetails> {
    const row = await this.sql.row<Omit<MetadataRow, 'key' | 'value'> & { readonly isNew: boolean }>(
      SET_METADATA,
      [orgId, userId, key, value],
      tx,
    );
    if (row === undefined) throw new Error('no metadata was set');
    return row.isNew ? detailsOfNew(row) : detailsOf(row);
  }

  override async removeMetadata(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
  ): Promise<ResourceDetails | undefined> {
    return await this.metadata.removeOne(tx, { orgId, userId, key });
  }

  /** Of an initial or active user. */
  private async changeUsable(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    changes: Changes<UserEntity>,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, { orgId, id, state: In(USABLE_STATES) }, changes);
  }

  private async changeHuman(
    tx: Tx,
    user: LockedUser,
    changes: Changes<UserHumanEntity>,
  ): Promise<ResourceDetails> {
    await this.humans.change(tx, { orgId: user.orgId, userId: user.id }, changes);
    return await this.changeLocked(tx, user, {});
  }

  private async changeLocked(
    tx: Tx,
    { orgId, id }: LockedUser,
    changes: Changes<UserEntity>,
  ): Promise<ResourceDetails> {
    const details = await this.rows.changeOne(tx, { orgId, id }, changes);
    if (details === undefined) throw nobodyLocked();
    return details;
  }
}

function nobodyLocked(): Error {
  return new Error('a user was changed that nobody has locked');
}
