import { Injectable } from '@nestjs/common';
import { IsNull, Not, Raw } from 'typeorm';
import {
  ServiceUsersStore,
  type KeyedServiceUser,
  type LockedServiceUser,
  type NewPersonalAccessToken,
  type NewServiceUserKey,
  type PersonalAccessToken,
  type ServiceUserClient,
  type ServiceUserKey,
  type ServiceUserSettings,
} from '../../../domain/service-users/service-users.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, PersonalAccessTokenId, ServiceUserKeyId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { UNTIL_EXPIRY } from '../page-statement.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { CountedTable, detailsOf, PagedTable, raised, Table, type Changes } from '../table.js';
import { PersonalAccessTokenEntity } from '../tables/personal-access-token.entity.js';
import { ServiceUserKeyEntity } from '../tables/service-user-key.entity.js';
import { ServiceUserEntity, UserEntity } from '../tables/user.entity.js';
import {
  clientOf,
  FIND_BY_KEY,
  FIND_BY_NAME,
  FIND_BY_SECRET,
  meantBy,
  type ClientJson,
} from './client-statements.js';

const KEY_TAKEN = {
  service_user_keys_pkey: () => new ApiError('already-exists', 'Key already exists', 'V3-DKcYh'),
};

/** Revoked tokens stay in the table. */
const NOT_REVOKED = { revokedAt: IsNull() };

@Injectable()
export class PgServiceUsersStore extends ServiceUsersStore {
  private readonly users: CountedTable<UserEntity>;
  private readonly machines: Table<ServiceUserEntity>;
  private readonly keys: CountedTable<ServiceUserKeyEntity>;
  private readonly keyPages: PagedTable<ServiceUserKeyEntity>;
  private readonly tokens: CountedTable<PersonalAccessTokenEntity>;
  private readonly tokenPages: PagedTable<PersonalAccessTokenEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.users = new CountedTable(sql, UserEntity);
    this.machines = new Table(sql, ServiceUserEntity);
    this.keys = new CountedTable(sql, ServiceUserKeyEntity);
    this.keyPages = new PagedTable(
      sql,
      'service-user-keys-list',
      ServiceUserKeyEntity,
      ['orgId', 'userId'],
      UNTIL_EXPIRY,
    );
    this.tokens = new CountedTable(sql, PersonalAccessTokenEntity);
    this.tokenPages = new PagedTable(
      sql,
      'personal-access-tokens-list',
      PersonalAccessTokenEntity,
      ['orgId', 'userId'],
      { ...UNTIL_EXPIRY, only: 't.revoked_at IS NULL' },
    );
  }

  override async lock(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedServiceUser | 'human' | undefined> {
    // FOR UPDATE, so that no key or token is added meanwhile; other changes of users do not prevent that
    const user = await this.users.find({ orgId, id, state: Not('deleted' as const) }, tx, 'exclusive');
    if (user === undefined || user.state === 'deleted') return undefined;
    const machine = await this.machines.find({ orgId, userId: id }, tx);
    if (machine === undefined) return 'human';
    const { name, description, accessTokenType, secretHash } = machine;
    return {
      userName: user.userName,
      state: user.state,
      settings: { name, ...(description !== null && { description }), accessTokenType },
      hasSecret: secretHash !== null,
    };
  }

  override async change(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    { name, description, accessTokenType }: ServiceUserSettings,
  ): Promise<ResourceDetails> {
    const settings = { name, description: description ?? null, accessTokenType };
    await this.machines.change(tx, { orgId, userId: id }, settings);
    return await this.count(tx, orgId, id);
  }

  override async setSecret(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    secretHash: Buffer | null,
    madeBy: UserId | null | undefined,
  ): Promise<ResourceDetails> {
    // its user is locked, so the secret read here is the one that is replaced
    const before = await this.machines.find({ orgId, userId: id }, tx);
    const made =
      secretHash === null
        ? { secretMadeBy: null, secretMadeAt: null }
        : { secretMadeBy: makerColumn(madeBy), secretMadeAt: () => 'app_now()' };
    await this.machines.change(tx, { orgId, userId: id }, { secretHash, ...made });
    const hadOne = before?.secretHash != null;
    return await this.count(tx, orgId, id, hadOne ? { tokenEpoch: raised(UserEntity, 'tokenEpoch') } : {});
  }

  override async addKey(tx: Tx, { madeBy, ...key }: NewServiceUserKey): Promise<ServiceUserKey> {
    await requireOwnedCapacity(this.sql, tx, 'service_user_keys', key.orgId, key.userId);
    const added = this.keys.add(tx, { ...key, madeBy: makerColumn(madeBy) });
    return keyOf(await mapUniqueViolations(added, KEY_TAKEN));
  }

  override async listKeys(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<ServiceUserKey>> {
    return await this.keyPages.list(page, { orgId, userId }, keyOf);
  }

  override async findKey(
    orgId: OrgId,
    userId: UserId,
    id: ServiceUserKeyId,
  ): Promise<ServiceUserKey | undefined> {
    const row = await this.keys.find({ orgId, userId, id });
    return row && keyOf(row);
  }

  override async removeKey(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: ServiceUserKeyId,
  ): Promise<ResourceDetails | undefined> {
    const details = await this.keys.removeOne(tx, { orgId, userId, id });
    if (details !== undefined) {
      const tokenEpoch = raised(UserEntity, 'tokenEpoch');
      await this.users.change(tx, { orgId, id: userId }, { tokenEpoch });
    }
    return details;
  }

  override async addToken(
    tx: Tx,
    { madeBy, ...token }: NewPersonalAccessToken,
  ): Promise<PersonalAccessToken> {
    await requireOwnedCapacity(this.sql, tx, 'personal_access_tokens', token.orgId, token.userId);
    return tokenOf(await this.tokens.add(tx, { ...token, madeBy: makerColumn(madeBy) }));
  }

  override async listTokens(
    orgId: OrgId,
    userId: UserId,
    page: PageQuery,
  ): Promise<Page<PersonalAccessToken>> {
    return await this.tokenPages.list(page, { orgId, userId }, tokenOf);
  }

  override async findToken(
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<PersonalAccessToken | undefined> {
    const row = await this.tokens.find({ orgId, userId, id, ...NOT_REVOKED });
    return row && tokenOf(row);
  }

  override async revokeToken(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<ResourceDetails | undefined> {
    const live = { orgId, userId, id, ...NOT_REVOKED };
    return await this.tokens.changeOne(tx, live, { revokedAt: () => 'app_now()' });
  }

  override async hadToken(tx: Tx, userId: UserId): Promise<boolean> {
    return await this.tokens.exists({ userId }, tx);
  }

  override async isLiveToken(tx: Tx, userId: UserId, tokenHash: Buffer): Promise<boolean> {
    const expiresAt = Raw((column) => `(${column} IS NULL OR ${column} > app_now())`);
    return await this.tokens.exists({ userId, tokenHash, expiresAt, ...NOT_REVOKED }, tx);
  }

  override async findBySecret(
    canonicalName: string,
    secretHash: Buffer,
    projectIds: readonly string[],
  ): Promise<ServiceUserClient | undefined> {
    const row = await this.sql.pipelined<{ found: ClientJson }>(FIND_BY_SECRET, [
      ...meantBy(canonicalName),
      projectIds,
      secretHash,
    ]);
    return row && clientOf(row.found);
  }

  override async findByName(canonicalName: string): Promise<{ userId: UserId; orgId: OrgId } | undefined> {
    return await this.sql.pipelined<{ userId: UserId; orgId: OrgId }>(FIND_BY_NAME, meantBy(canonicalName));
  }

  override async findByKey(
    keyId: string,
    userId: UserId,
    projectIds: readonly string[],
  ): Promise<KeyedServiceUser | undefined> {
    const values = [keyId, userId, projectIds];
    const row = await this.sql.pipelined<{ found: ClientJson & Pick<KeyedServiceUser, 'publicJwk'> }>(
      FIND_BY_KEY,
      values,
    );
    return row && clientOf(row.found);
  }

  private async count(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    changes: Changes<UserEntity> = {},
  ): Promise<ResourceDetails> {
    const details = await this.users.changeOne(tx, { orgId, id }, changes);
    if (details === undefined) throw new Error('a service user that was locked is not there');
    return details;
  }
}

function keyOf(row: ServiceUserKeyEntity): ServiceUserKey {
  return { id: row.id, expiresAt: row.expiresAt, details: detailsOf(row) };
}

function tokenOf(row: PersonalAccessTokenEntity): PersonalAccessToken {
  return { id: row.id, expiresAt: row.expiresAt, details: detailsOf(row) };
}

/** The maker of a credential: empty for the operator of the service, null if unknown. */
function makerColumn(madeBy: UserId | null | undefined): UserId | '' | null {
  return madeBy === undefined ? null : (madeBy ?? '');
}
