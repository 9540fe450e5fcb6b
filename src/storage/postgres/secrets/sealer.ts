// SQL by hand: the command line uses it too, on connections without TypeORM
import { createHmac, randomBytes } from 'node:crypto';
import type { AppConfig } from '../../../config/config.js';
import { deriveKey, masterKeyId, openBytes, sealBytes } from '../../../domain/secrets/envelope.js';
import { Sealer, type SealedPlace, type SealedValue } from '../../../domain/secrets/sealer.js';
import { crashPoint } from '../../../domain/shared/crash-point.js';
import { advisoryLock } from '../advisory-lock.js';
import type { Sql } from '../sql.js';

const ALL = {
  name: 'data-keys-all',
  text: `SELECT id, wrapped, master_key_id, state FROM data_keys ORDER BY id`,
};
const ADD = {
  name: 'data-keys-add',
  text: `INSERT INTO data_keys (wrapped, master_key_id, state) VALUES ($1, $2, 'current')`,
};

const REWRAP = {
  name: 'data-keys-rewrap',
  text: `UPDATE data_keys SET wrapped = $2, master_key_id = $3 WHERE id = $1`,
};

type DataKeyRow = { id: number; wrapped: Buffer; master_key_id: string; state: string };
interface DataKey {
  readonly key: Buffer;
  readonly derived: Map<string, Buffer>;
}

const WRAP_LABEL = 'data-key-wrap';

function associatedData(place: SealedPlace): string {
  return [place.table, place.column, place.rowId].join('\u0000');
}

/**
 * Data keys, unwrapped once and held in memory. The first replica to start on an empty database makes the first
 * key, under an advisory lock, so that six starting together still agree on one.
 */
export class PgSealer extends Sealer {
  private readonly keys = new Map<number, DataKey>();
  private readonly masterKeys: ReadonlyMap<string, Buffer>;
  private readonly masterKey: Buffer;
  private currentId = 0;
  private firstId = 0;

  private constructor(
    private readonly sql: Sql,
    settings: AppConfig['masterKeys'],
  ) {
    super();
    this.masterKey = Buffer.from(settings.current, 'base64');
    const known = [this.masterKey, ...settings.previous.map((key) => Buffer.from(key, 'base64'))];
    this.masterKeys = new Map(known.map((key) => [masterKeyId(key), key]));
  }

  /** @throws when a stored data key was wrapped by a master key that is not configured */
  static async open(sql: Sql, settings: AppConfig['masterKeys']): Promise<PgSealer> {
    const sealer = new PgSealer(sql, settings);
    await sealer.load();
    if (sealer.currentId === 0) {
      await sealer.makeFirst();
      await sealer.load();
    }
    return sealer;
  }

  /**
   * Rewraps every data key under the current master key; what they encrypt stays as it is. Running
   * replicas hold the data keys unwrapped and notice nothing. May be run again, and by two at once.
   *
   * @returns how many were wrapped by another master key
   * @throws when one was wrapped by a master key that is not configured; then nothing is changed
   */
  async rewrap(): Promise<number> {
    return await this.sql.transaction(async (tx) => {
      await advisoryLock(this.sql, tx, 'data keys');
      const id = masterKeyId(this.masterKey);
      const rows = await this.sql.rows<DataKeyRow>(ALL, [], tx);
      const others = rows.filter((row) => row.master_key_id !== id);
      for (const row of others) {
        const wrapped = sealBytes(deriveKey(this.masterKey, WRAP_LABEL), this.unwrap(row), id);
        await this.sql.change(REWRAP, [row.id, wrapped, id], tx);
        crashPoint('rewrap-in-transaction');
      }
      return others.length;
    });
  }

  override seal(place: SealedPlace, plain: Buffer): SealedValue {
    const key = this.derived(this.currentId, place.purpose);
    return { dataKeyId: this.currentId, sealed: sealBytes(key, plain, associatedData(place)) };
  }

  override async open(place: SealedPlace, value: SealedValue): Promise<Buffer> {
    // another replica may have made a data key since this one started
    if (!this.keys.has(value.dataKeyId)) await this.load();
    return openBytes(this.derived(value.dataKeyId, place.purpose), value.sealed, associatedData(place));
  }

  override mac(purpose: string, text: string): Buffer {
    // the first key, which stays on file: a MAC must compare equal after a newer data key has become current
    return createHmac('sha256', this.derived(this.firstId, `mac:${purpose}`))
      .update(text)
      .digest();
  }

  private derived(id: number, label: string): Buffer {
    const entry = this.keys.get(id);
    if (entry === undefined) throw new Error(`data key ${id} is not on file`);
    let key = entry.derived.get(label);
    if (key === undefined) {
      key = deriveKey(entry.key, label);
      entry.derived.set(label, key);
    }
    return key;
  }

  private async makeFirst(): Promise<void> {
    await this.sql.transaction(async (tx) => {
      await advisoryLock(this.sql, tx, 'data keys');
      if ((await this.sql.rows(ALL, [], tx)).length > 0) return;
      const id = masterKeyId(this.masterKey);
      const wrapped = sealBytes(deriveKey(this.masterKey, WRAP_LABEL), randomBytes(32), id);
      await this.sql.change(ADD, [wrapped, id], tx);
    });
  }

  private async load(): Promise<void> {
    for (const row of await this.sql.rows<DataKeyRow>(ALL, [])) {
      if (row.state === 'current') this.currentId = row.id;
      if (this.firstId === 0) this.firstId = row.id;
      if (this.keys.has(row.id)) continue;
      this.keys.set(row.id, { key: this.unwrap(row), derived: new Map() });
    }
  }

  private unwrap(row: DataKeyRow): Buffer {
    const masterKey = this.masterKeys.get(row.master_key_id);
    if (masterKey === undefined) {
      throw new Error('MASTER_KEY is not the key this database was set up with (see MASTER_KEY_PREVIOUS)');
    }
    return openBytes(deriveKey(masterKey, WRAP_LABEL), row.wrapped, row.master_key_id);
  }
}
