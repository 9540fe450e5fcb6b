// SQL by hand: many counters are raised by one statement, and summed for all organizations by another
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { OrgId } from '../../../domain/shared/ids.js';
import { SMS_COUNTED, type Count } from '../../../domain/statistics/counters.js';
import {
  StatisticsStore,
  type HourCount,
  type SmsOfOrganization,
} from '../../../domain/statistics/statistics.store.js';
import { oneOf } from '../one-of.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { InstanceCountEntity } from '../tables/instance-count.entity.js';
import { OrganizationCountEntity } from '../tables/organization-count.entity.js';

// in the order of the keys, so that processes that add at the same time do not deadlock
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

function countsSince(
  entities: EntityManager,
  entity: typeof OrganizationCountEntity | typeof InstanceCountEntity,
) {
  return selecting<OrganizationCountEntity | InstanceCountEntity>(entities.createQueryBuilder(entity, 'c'), [
    'hour',
    'counted',
  ])
    .addSelect('c.count::float8', 'count')
    .where(`c.hour >= date_trunc('hour', :from::timestamptz)`)
    .orderBy('c.hour')
    .addOrderBy('c.counted');
}

export const SMS_BY_ORGANIZATION = {
  name: 'statistics-sms-by-organization',
  text: `
    SELECT o.id, o.name, c."smsAdmitted", c."smsCost", c."smsRefused" FROM (
      SELECT org_id, ${SMS_COUNTED.map(
        (counted) => `coalesce(sum(count) FILTER (WHERE counted = '${counted}'), 0)::float8 AS "${counted}"`,
      ).join(', ')}
      FROM organization_counts WHERE hour >= date_trunc('hour', $1::timestamptz) AND counted ${oneOf(SMS_COUNTED)}
      GROUP BY org_id) c
    JOIN organizations o ON o.id = c.org_id AND o.state <> 'removed'
    ORDER BY c."smsCost" DESC, c."smsAdmitted" DESC, c."smsRefused" DESC, o.id LIMIT $2`,
};

@Injectable()
export class PgStatisticsStore extends StatisticsStore {
  private readonly ofOrganization: Query<HourCount, { orgId: OrgId; from: Date }>;
  private readonly ofInstance: Query<HourCount, { from: Date }>;

  constructor(private readonly sql: Sql) {
    super();
    this.ofOrganization = new Query(sql, 'statistics-of-organization', (entities) =>
      countsSince(entities, OrganizationCountEntity).andWhere('c.orgId = :orgId'),
    );
    this.ofInstance = new Query(sql, 'statistics-of-instance', (entities) =>
      countsSince(entities, InstanceCountEntity),
    );
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
      ? await this.ofInstance.rows({ from })
      : await this.ofOrganization.rows({ orgId, from });
  }

  override async smsByOrganization(from: Date, most: number): Promise<readonly SmsOfOrganization[]> {
    return await this.sql.rows<Pick<SmsOfOrganization, keyof SmsOfOrganization>>(SMS_BY_ORGANIZATION, [
      from,
      most,
    ]);
  }
}
