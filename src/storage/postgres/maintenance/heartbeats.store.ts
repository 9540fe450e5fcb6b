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
    SELECT queue, worker, greatest(0, extract(epoch FROM app_now() - consumed_at) * 1000)::float8 AS age_ms
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
    const rows = await this.sql.rows<{ queue: string; worker: string; age_ms: number }>(LIST, []);
    return rows.map((row) => ({ queue: row.queue, worker: row.worker, ageMs: row.age_ms }));
  }
}
