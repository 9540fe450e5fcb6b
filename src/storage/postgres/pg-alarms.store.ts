import { Injectable } from '@nestjs/common';
import { AlarmsStore } from '../../domain/sign-in/alarms.store.js';
import { Sql } from './sql.js';

const RAISE = {
  name: 'alarms-raise',
  text: `
    WITH raised AS (
      INSERT INTO alarms AS known (kind, raised_at) VALUES ($1, app_now())
      ON CONFLICT (kind) DO UPDATE SET times = known.times + 1, raised_at = excluded.raised_at
      WHERE known.raised_at + make_interval(secs => $2) <= excluded.raised_at
      RETURNING times
    )
    INSERT INTO events (aggregate_type, aggregate_id, sequence, type, data)
    SELECT 'instance', 'instance', times, 'instance.' || $1, $3::jsonb FROM raised`,
};

@Injectable()
export class PgAlarmsStore extends AlarmsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async raise(
    kind: 'guessing_alarm',
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean> {
    return (await this.sql.change(RAISE, [kind, pauseSeconds, JSON.stringify(data)])) === 1;
  }
}
