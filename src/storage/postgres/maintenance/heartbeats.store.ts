// SQL by hand: its ages are told by the database's clock, and every queue has one row
import { Injectable } from '@nestjs/common';
import { HeartbeatsStore, type Heartbeat } from '../../../domain/maintenance/heartbeats.store.js';
import { Sql } from '../sql.js';

const RECORD = {
  name: 'heartbeats-record',
  text: `
    INSERT INTO heartbeats (queue, consumed_at, worker) VALUES ($1, app_now(), $2)
    ON CONFLICT (queue) DO UPDATE SET consumed_at = excluded.consumed_at, worker = excluded.worker`,
};

const LIST = {
  name: 'heartbeats-list',
  text: `
    SELECT queue, worker, greatest(0, extract(epoch FROM app_now() - consumed_at) * 1000)::float8 AS "ageMs"
    FROM heartbeats ORDER BY queue`,
};

@Injectable()
export class PgHeartbeatsStore extends HeartbeatsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async record(queue: string, worker: string): Promise<void> {
    await this.sql.change(RECORD, [queue, worker]);
  }

  override async list(): Promise<readonly Heartbeat[]> {
    return await this.sql.rows<Pick<Heartbeat, keyof Heartbeat>>(LIST, []);
  }
}
