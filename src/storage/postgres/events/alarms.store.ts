// SQL by hand: whether an alarm is due is decided and recorded by one statement
import { Injectable } from '@nestjs/common';
import { AlarmsStore, type AlarmKind, type AlarmSubject } from '../../../domain/events/alarms.store.js';
import { Sql } from '../sql.js';

/** @param kind an expression of `$1` */
function raised(kind: string): string {
  return `
    WITH raised AS (
      INSERT INTO alarms AS known (kind, raised_at) VALUES (${kind}, app_now())
      ON CONFLICT (kind) DO UPDATE SET times = known.times + 1, raised_at = excluded.raised_at
      WHERE known.raised_at + make_interval(secs => $2) <= excluded.raised_at
      RETURNING times
    )`;
}

const RAISE = {
  name: 'alarms-raise',
  text: `${raised('$1')}
    INSERT INTO events (aggregate_type, aggregate_id, sequence, type, data)
    SELECT 'instance', 'instance', times, 'instance.' || $1, $3::jsonb FROM raised`,
};
const RAISE_ABOUT = {
  name: 'alarms-raise-about',
  text: `${raised(`$1 || ' ' || $4`)}
    INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, data)
    SELECT $5, $1, $4, times, $1 || '.alarm', $3::jsonb FROM raised`,
};

@Injectable()
export class PgAlarmsStore extends AlarmsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async raise(
    kind: AlarmKind,
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean> {
    return (await this.sql.change(RAISE, [kind, pauseSeconds, JSON.stringify(data)])) === 1;
  }

  override async raiseAbout(
    { aggregateType, aggregateId, orgId }: AlarmSubject,
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean> {
    const values = [aggregateType, pauseSeconds, JSON.stringify(data), aggregateId, orgId];
    return (await this.sql.change(RAISE_ABOUT, values)) === 1;
  }
}
