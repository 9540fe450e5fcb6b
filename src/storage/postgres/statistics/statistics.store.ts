// SQL by hand: rows are added to, many at once
import { Injectable } from '@nestjs/common';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Count } from '../../../domain/statistics/counters.js';
import { StatisticsStore, type HourCount } from '../../../domain/statistics/statistics.store.js';
import { Sql } from '../sql.js';

// in the order of the keys, so that processes that add at once wait for one another instead of for ever
const ADD = {
  name: 'statistics-add',
  text: `
    WITH added AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::bigint[]) AS a(org_id, hour, counted, count)
    ), of_organizations AS (
      INSERT INTO organization_counts AS t (org_id, hour, counted, count)
      SELECT a.org_id, a.hour, a.counted, a.count
      FROM added a JOIN organizations o ON o.id = a.org_id AND o.state <> 'removed'
      ORDER BY a.org_id, a.hour, a.counted
      ON CONFLICT (org_id, hour, counted) DO UPDATE SET count = t.count + excluded.count
    )
    INSERT INTO instance_counts AS t (hour, counted, count)
    SELECT hour, counted, sum(count) FROM added GROUP BY hour, counted ORDER BY hour, counted
    ON CONFLICT (hour, counted) DO UPDATE SET count = t.count + excluded.count`,
};

const OF_ORGANIZATION = {
  name: 'statistics-of-organization',
  text: `
    SELECT hour, counted, count::float8 AS count FROM organization_counts
    WHERE org_id = $1 AND hour >= date_trunc('hour', $2::timestamptz) ORDER BY hour, counted`,
};

const OF_INSTANCE = {
  name: 'statistics-of-instance',
  text: `
    SELECT hour, counted, count::float8 AS count FROM instance_counts
    WHERE hour >= date_trunc('hour', $1::timestamptz) ORDER BY hour, counted`,
};

@Injectable()
export class PgStatisticsStore extends StatisticsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(counts: readonly Count[]): Promise<void> {
    await this.sql.change(ADD, [
      counts.map(({ orgId }) => orgId),
      counts.map(({ hour }) => hour),
      counts.map(({ counted }) => counted),
      counts.map(({ count }) => count),
    ]);
  }

  override async list(orgId: OrgId | undefined, from: Date): Promise<readonly HourCount[]> {
    return orgId === undefined
      ? await this.sql.rows<Pick<HourCount, keyof HourCount>>(OF_INSTANCE, [from])
      : await this.sql.rows<Pick<HourCount, keyof HourCount>>(OF_ORGANIZATION, [orgId, from]);
  }
}
