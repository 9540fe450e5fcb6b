import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type {
  NewSigningKey,
  SigningAlgorithm,
  SigningKey,
} from '../../../domain/signing-keys/signing-key.js';
import {
  SigningKeysStore,
  type NewTokenKey,
  type StoredPrivateKey,
  type StoredTokenKey,
} from '../../../domain/signing-keys/signing-keys.store.js';
import { Sql } from '../sql.js';

const PUBLIC_COLUMNS = 'kid, algorithm, state, public_jwk';
const LOCK = { name: 'keys-lock', text: `SELECT pg_advisory_xact_lock(hashtext('signing keys'))` };
const LIST_PUBLISHED = {
  name: 'keys-list-published',
  text: `SELECT ${PUBLIC_COLUMNS} FROM signing_keys WHERE state <> 'gone' ORDER BY created_at, kid`,
};
const LIST_CURRENT = {
  name: 'keys-list-current-private',
  text: `SELECT kid, algorithm, private_sealed, data_key_id FROM signing_keys WHERE state = 'current'`,
};
const FIND_PUBLIC = {
  name: 'keys-find-public',
  text: `SELECT ${PUBLIC_COLUMNS} FROM signing_keys WHERE kid = $1 AND removed_at IS NULL`,
};
const ADD = {
  name: 'keys-add',
  text: `INSERT INTO signing_keys (kid, algorithm, state, public_jwk, private_sealed, data_key_id, activates_at,
           by_emergency, current_since)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $3 = 'current' THEN app_now() END)`,
};
const LIST_TOKEN_KEYS = {
  name: 'token-keys-list',
  text: `SELECT id, state, sealed, data_key_id FROM token_keys WHERE state <> 'gone' ORDER BY id DESC`,
};
const RESERVE_TOKEN_KEY_ID = {
  name: 'token-keys-reserve-id',
  text: `SELECT nextval(pg_get_serial_sequence('token_keys', 'id'))::int AS id`,
};
const ADD_TOKEN_KEY = {
  name: 'token-keys-add',
  text: `INSERT INTO token_keys (id, state, sealed, data_key_id, activates_at, by_emergency, current_since)
         VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $2 = 'current' THEN app_now() END)`,
};

type PublicRow = {
  kid: string;
  algorithm: SigningAlgorithm;
  state: SigningKey['state'];
  public_jwk: SigningKey['publicJwk'];
};

function toSigningKey(row: PublicRow): SigningKey {
  return { kid: row.kid, algorithm: row.algorithm, state: row.state, publicJwk: row.public_jwk };
}

@Injectable()
export class PgSigningKeysStore extends SigningKeysStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async lock(tx: Tx): Promise<void> {
    await this.sql.rows(LOCK, [], tx);
  }

  override async listPublished(tx?: Tx): Promise<readonly SigningKey[]> {
    return (await this.sql.rows<PublicRow>(LIST_PUBLISHED, [], tx)).map(toSigningKey);
  }

  override async listCurrentPrivate(): Promise<readonly StoredPrivateKey[]> {
    const rows = await this.sql.rows<{
      kid: string;
      algorithm: SigningAlgorithm;
      private_sealed: Buffer;
      data_key_id: number;
    }>(LIST_CURRENT, []);
    return rows.map((row) => ({
      kid: row.kid,
      algorithm: row.algorithm,
      privateSealed: row.private_sealed,
      dataKeyId: row.data_key_id,
    }));
  }

  override async findPublic(kid: string): Promise<SigningKey | undefined> {
    const row = await this.sql.row<PublicRow>(FIND_PUBLIC, [kid]);
    return row === undefined ? undefined : toSigningKey(row);
  }

  override async add(tx: Tx, key: NewSigningKey): Promise<void> {
    await this.sql.change(
      ADD,
      [
        key.kid,
        key.algorithm,
        key.state,
        key.publicJwk,
        key.privateSealed,
        key.dataKeyId,
        key.activatesAt,
        key.byEmergency,
      ],
      tx,
    );
  }

  override async listTokenKeys(tx?: Tx): Promise<readonly StoredTokenKey[]> {
    const rows = await this.sql.rows<{
      id: number;
      state: StoredTokenKey['state'];
      sealed: Buffer;
      data_key_id: number;
    }>(LIST_TOKEN_KEYS, [], tx);
    return rows.map((row) => ({
      id: row.id,
      state: row.state,
      sealed: row.sealed,
      dataKeyId: row.data_key_id,
    }));
  }

  override async reserveTokenKeyId(tx: Tx): Promise<number> {
    const row = await this.sql.row<{ id: number }>(RESERVE_TOKEN_KEY_ID, [], tx);
    if (row === undefined) throw new Error('no id from the sequence');
    return row.id;
  }

  override async addTokenKey(tx: Tx, key: NewTokenKey): Promise<void> {
    const values = [key.id, key.state, key.sealed, key.dataKeyId, key.activatesAt, key.byEmergency];
    await this.sql.change(ADD_TOKEN_KEY, values, tx);
  }
}
