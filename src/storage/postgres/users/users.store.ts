import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { User, UserState } from '../../../domain/users/user.js';
import {
  UsersStore,
  type CreatedUser,
  type EmailConfirmation,
  type NewHuman,
  type NewServiceUser,
  type ReservedUser,
} from '../../../domain/users/users.store.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { HUMAN_COLUMNS, humanToRow, toUser, USER_COLUMNS, USER_JOINS, type UserRow } from './user-rows.js';

const RESERVE = {
  name: 'users-reserve',
  text: `
    SELECT new_id() AS id, d.org_id AS domain_org_id, d.is_primary AS domain_is_primary
    FROM unnest($1::text[]) WITH ORDINALITY AS asked (domain, place)
    LEFT JOIN organization_domains d ON d.domain = asked.domain AND d.is_verified
    ORDER BY asked.place`,
};

// One statement for all four tables: the foreign keys are checked when it ends. Identifiers go in sorted, so that
// two imports that share several names wait for each other in the same order and cannot deadlock.
const ADD_HUMANS = {
  name: 'users-add-humans',
  text: `
    WITH moment AS (SELECT app_now() AS now),
    given AS (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS given (place integer, id text, org_id text, user_name text,
        state text, identifiers jsonb, hash text, scheme text, weak boolean, change_required boolean,
        ${HUMAN_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')})
    ), added AS (
      INSERT INTO users (id, org_id, kind, user_name, state, created_at, changed_at)
      SELECT id, org_id, 'human', user_name, state, now, now FROM given, moment ORDER BY place
      RETURNING id, org_id, sequence, created_at, changed_at
    ), humans AS (
      INSERT INTO user_humans (user_id, org_id, ${HUMAN_COLUMNS.map(({ name }) => name).join(', ')})
      SELECT id, org_id, ${HUMAN_COLUMNS.map(({ name }) => name).join(', ')} FROM given ORDER BY place
    ), names AS (
      INSERT INTO login_identifiers (org_id, kind, canonical, user_id, proven)
      SELECT given.org_id, identifier.kind, identifier.canonical, given.id, coalesce(identifier.proven, false)
      FROM given, jsonb_to_recordset(given.identifiers) AS identifier (kind text, canonical text, proven boolean)
      ORDER BY given.org_id, identifier.kind, identifier.canonical
    ), passwords AS (
      INSERT INTO user_passwords (user_id, org_id, hash, scheme, weak, change_required)
      SELECT id, org_id, hash, scheme, weak, change_required FROM given WHERE hash IS NOT NULL ORDER BY place
    )
    SELECT added.* FROM added JOIN given ON given.id = added.id ORDER BY given.place`,
};

const ADD_MACHINE = {
  name: 'users-add-machine',
  text: `
    WITH added AS (
      INSERT INTO users (id, org_id, kind, user_name) VALUES (coalesce($7, new_id()), $1, 'machine', $2)
      RETURNING id, org_id, sequence, created_at, changed_at
    ), machines AS (
      INSERT INTO user_machines (user_id, org_id, name, description, access_token_type)
      SELECT id, org_id, $4, $5, $6 FROM added
    ), names AS (
      INSERT INTO login_identifiers (org_id, kind, canonical, user_id)
      SELECT org_id, 'user_name', $3, id FROM added
    )
    SELECT * FROM added`,
};

const FIND = {
  name: 'users-find',
  text: `
    SELECT ${USER_COLUMNS}
    FROM users u ${USER_JOINS}
    WHERE u.org_id = $1 AND u.id = $2 AND u.state <> 'deleted'`,
};

const FIND_ID_BY_NAME = {
  name: 'users-find-id-by-name',
  text: `SELECT user_id FROM login_identifiers WHERE org_id = $1 AND kind = 'user_name' AND canonical = $2`,
};

const FIND_STATE = {
  name: 'users-find-state',
  text: `SELECT state FROM users WHERE org_id = $1 AND id = $2 AND state <> 'deleted'`,
};

const LOCK_FOR_UPDATE = {
  name: 'users-lock-for-update',
  text: `SELECT FROM users WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`,
};

const CHANGED = `sequence = u.sequence + 1, changed_at = app_now()`;
const RETURNING = `RETURNING u.org_id, u.sequence, u.created_at, u.changed_at`;

const DEACTIVATE = {
  name: 'users-deactivate',
  text: `
    UPDATE users u SET state = 'inactive', ${CHANGED}
    WHERE u.org_id = $1 AND u.id = $2 AND u.state NOT IN ('inactive', 'deleted') ${RETURNING}`,
};

// a human without a password has something to do first
const USABLE_AGAIN = `
      state = CASE WHEN u.kind = 'human' AND NOT EXISTS (SELECT FROM user_passwords p WHERE p.user_id = u.id)
                   THEN 'initial' ELSE 'active' END`;

const REACTIVATE = {
  name: 'users-reactivate',
  text: `
    UPDATE users u SET ${CHANGED}, ${USABLE_AGAIN}
    WHERE u.org_id = $1 AND u.id = $2 AND u.state = 'inactive' ${RETURNING}`,
};

const LOCK = {
  name: 'users-lock',
  text: `
    UPDATE users u SET state = 'locked', ${CHANGED}
    WHERE u.org_id = $1 AND u.id = $2 AND u.state IN ('initial', 'active') ${RETURNING}`,
};

const UNLOCK = {
  name: 'users-unlock',
  text: `
    UPDATE users u SET ${CHANGED}, ${USABLE_AGAIN}
    WHERE u.org_id = $1 AND u.id = $2 AND u.state = 'locked' ${RETURNING}`,
};

const RAISE_EPOCH = {
  name: 'users-raise-epoch',
  text: `UPDATE users SET token_epoch = token_epoch + 1 WHERE org_id = $1 AND id = $2`,
};

// a name that is another user's stays theirs: then the condition fails and no row comes back
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

const CONFIRM_PHONE = {
  name: 'users-confirm-phone',
  text: `UPDATE user_humans SET phone_verified = true WHERE org_id = $1 AND user_id = $2 AND phone = $3`,
};

const RECORD_CHANGE = {
  name: 'users-record-change',
  text: `
    UPDATE users u SET ${CHANGED}, state = CASE WHEN $3 THEN 'active' ELSE u.state END
    WHERE u.org_id = $1 AND u.id = $2 AND u.state IN ('initial', 'active') ${RETURNING}`,
};

type CreatedRow = ResourceRow & { id: UserId };
type ReservedRow = { id: UserId; domain_org_id: OrgId | null; domain_is_primary: boolean | null };

const TAKEN = { login_identifiers_pkey: alreadyExists, users_pkey: alreadyExists };

export function alreadyExists(): ApiError {
  return new ApiError('already-exists', 'User already exists', 'V3-DKcYh');
}

@Injectable()
export class PgUsersStore extends UsersStore {
  constructor(private readonly sql: Sql) {
    super();
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
    const { orgId, userName, canonicalUserName, name, description, accessTokenType, id } = machine;
    const values = [orgId, userName, canonicalUserName, name, description, accessTokenType, id ?? null];
    const row = await mapUniqueViolations(this.sql.row<CreatedRow>(ADD_MACHINE, values, tx), TAKEN);
    if (row === undefined) throw new Error('no machine user was added');
    return { id: row.id, details: detailsOf(row) };
  }

  override async find(orgId: OrgId, id: UserId): Promise<User | undefined> {
    const row = await this.sql.pipelined<UserRow>(FIND, [orgId, id]);
    return row && toUser(row);
  }

  override async findIdByName(tx: Tx, orgId: OrgId, canonicalUserName: string): Promise<UserId | undefined> {
    const values = [orgId, canonicalUserName];
    return (await this.sql.row<{ user_id: UserId }>(FIND_ID_BY_NAME, values, tx))?.user_id;
  }

  override async findState(tx: Tx, orgId: OrgId, id: UserId): Promise<UserState | undefined> {
    return (await this.sql.row<{ state: UserState }>(FIND_STATE, [orgId, id], tx))?.state;
  }

  override async deactivate(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined> {
    return await this.changeState(DEACTIVATE, tx, orgId, id);
  }

  override async reactivate(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined> {
    return await this.changeState(REACTIVATE, tx, orgId, id);
  }

  override async lock(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined> {
    return await this.changeState(LOCK, tx, orgId, id);
  }

  override async unlock(tx: Tx, orgId: OrgId, id: UserId): Promise<ResourceDetails | undefined> {
    return await this.changeState(UNLOCK, tx, orgId, id);
  }

  private async changeState(
    statement: Statement,
    tx: Tx,
    orgId: OrgId,
    id: UserId,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(statement, [orgId, id], tx);
    return row && detailsOf(row);
  }

  override async raiseEpoch(tx: Tx, orgId: OrgId, id: UserId): Promise<void> {
    await this.sql.change(RAISE_EPOCH, [orgId, id], tx);
  }

  override async lockForUpdate(tx: Tx, orgId: OrgId, id: UserId): Promise<void> {
    await this.sql.change(LOCK_FOR_UPDATE, [orgId, id], tx);
  }

  override async confirmEmail(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    address: string,
    canonicalAddress: string,
    proven: boolean,
  ): Promise<EmailConfirmation> {
    const values = [orgId, id, address, canonicalAddress, proven];
    const row = await this.sql.row<{ is_address: boolean; is_free: boolean }>(CONFIRM_EMAIL, values, tx);
    if (row?.is_address !== true) return 'changed';
    return row.is_free ? 'confirmed' : 'taken';
  }

  override async confirmPhone(tx: Tx, orgId: OrgId, id: UserId, number: string): Promise<boolean> {
    return (await this.sql.change(CONFIRM_PHONE, [orgId, id, number], tx)) === 1;
  }

  override async recordChange(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    { newPassword }: { readonly newPassword: boolean },
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(RECORD_CHANGE, [orgId, id, newPassword], tx);
    return row && detailsOf(row);
  }
}
