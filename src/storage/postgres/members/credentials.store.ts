import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  CredentialsStore,
  type CredentialOfUser,
  type MadeCredential,
} from '../../../domain/members/credentials.store.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Query } from '../query.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { IdentityProviderEntity, UserIdentityEntity } from '../tables/identity-provider.entity.js';
import { UserEntity } from '../tables/user.entity.js';
import { END_CREDENTIALS, LIST_CREDENTIALS } from './credential-statements.js';

/** No id has such a sign. */
type WrittenMaker = UserId | '' | '@organization' | null;

function makerOf(written: WrittenMaker): CredentialOfUser['madeBy'] {
  if (written === '') return 'operator';
  return written === '@organization' ? 'organization' : (written ?? undefined);
}

/** The organizations whose identity providers a user can sign in with. */
function organizationsOfProviders(entities: EntityManager) {
  return entities
    .createQueryBuilder(UserIdentityEntity, 'i')
    .select('p.orgId', 'orgId')
    .distinct()
    .innerJoin(IdentityProviderEntity, 'p', 'p.id = i.providerId')
    .where('i.userId = :userId AND p.orgId IS NOT NULL');
}

@Injectable()
export class PgCredentialsStore extends CredentialsStore {
  private readonly providerOwners: Query<{ orgId: OrgId }, { userId: UserId }>;
  private readonly users: Table<UserEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.providerOwners = new Query(sql, 'members-organizations-of-providers', organizationsOfProviders);
    this.users = new Table(sql, UserEntity);
  }

  override async lock(tx: Tx, userId: UserId): Promise<OrgId | undefined> {
    // whoever makes a credential holds the row FOR UPDATE or FOR NO KEY UPDATE, and so does whoever deletes the user
    return (await this.users.find({ id: userId }, tx, 'lock'))?.orgId;
  }

  override async list(tx: Tx, userId: UserId): Promise<readonly CredentialOfUser[]> {
    type Row = {
      kind: MadeCredential['kind'];
      id: string;
      madeBy: WrittenMaker;
      madeAt: string | null;
    };
    const rows = await this.sql.rows<Row>(LIST_CREDENTIALS, [userId], tx);
    return rows.map(({ madeBy, madeAt, ...credential }) => ({
      ...credential,
      madeBy: makerOf(madeBy),
      madeAt: madeAt ?? undefined,
    }));
  }

  override async listProviderOwners(tx: Tx, userId: UserId): Promise<readonly OrgId[]> {
    const rows = await this.providerOwners.rows({ userId }, tx);
    return rows.map(({ orgId }) => orgId);
  }

  override async end(
    tx: Tx,
    userId: UserId,
    credentials: readonly MadeCredential[],
    actorId: UserId | null,
  ): Promise<void> {
    const kinds = credentials.map(({ kind }) => kind);
    const ids = credentials.map(({ id }) => id);
    await this.sql.change(END_CREDENTIALS, [userId, kinds, ids, actorId], tx);
  }
}
