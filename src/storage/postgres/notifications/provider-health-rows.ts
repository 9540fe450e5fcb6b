// SQL by hand: a test delivery to a failed provider, and a place under its rate limit, are taken by one conditional statement each
import type { EntityManager } from 'typeorm';
import { HEALTHY, type ProviderHealth } from '../../../domain/notifications/health/provider-health.js';
import type {
  HealthOf,
  KnownHealth,
  SharedHealth,
} from '../../../domain/notifications/providers/notification-providers.store.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Query, selecting } from '../query.js';
import type { Sql } from '../sql.js';
import { columns, COUNTED, pick, Table } from '../table.js';
import { NotificationProviderHealthEntity } from '../tables/notification-provider-health.entity.js';

const HEALTH = ['version', 'failures', 'openings', 'openUntil', 'paused', 'reason'] as const;
type HealthRow = Pick<NotificationProviderHealthEntity, (typeof HEALTH)[number]>;

function healthOfAll(entities: EntityManager) {
  const properties = ['providerId', ...HEALTH, 'changedAt'] as const;
  return selecting(entities.createQueryBuilder(NotificationProviderHealthEntity, 'h'), properties).addSelect(
    'greatest(0, coalesce(extract(epoch FROM h.openUntil - (SELECT app_now())) * 1000, 0))::float8',
    'waitMs',
  );
}
type KnownRow = HealthRow & { providerId: ProviderId; changedAt: Date; waitMs: number };

const LOCK = {
  name: 'provider-health-lock',
  text: `
    SELECT ${columns(NotificationProviderHealthEntity, 'h', HEALTH)}, app_now() AS now
    FROM notification_provider_health h WHERE h.provider_id = $1 FOR UPDATE`,
};

const TAKE_PROBE = {
  name: 'provider-health-take-probe',
  text: `
    UPDATE notification_provider_health SET probe_until = app_now() + make_interval(secs => $3::float8 / 1000)
    WHERE provider_id = $1 AND version = $2
      AND (open_until IS NULL OR open_until <= app_now()) AND (probe_until IS NULL OR probe_until <= app_now())`,
};

const TAKE_URGENT_PROBE = {
  name: 'provider-health-take-urgent-probe',
  text: `
    UPDATE notification_provider_health
    SET urgent_probe_until = app_now() + make_interval(secs => $3::float8 / 1000)
    WHERE provider_id = $1 AND version = $2 AND (NOT paused OR open_until IS NULL OR open_until <= app_now())
      AND (urgent_probe_until IS NULL OR urgent_probe_until <= app_now())`,
};

// the place taken is the former next_turn_at; places that nobody took are not saved up
const TAKE_TURN = {
  name: 'provider-health-take-turn',
  text: `
    WITH step AS (SELECT app_now() AS now, make_interval(secs => 1 / $3::float8) AS length)
    INSERT INTO notification_provider_health AS h (provider_id, version, next_turn_at)
    SELECT $1, $2, now + length FROM step
    ON CONFLICT (provider_id) DO UPDATE
      SET next_turn_at = greatest(h.next_turn_at, (SELECT now FROM step)) + (SELECT length FROM step)
      WHERE coalesce(h.next_turn_at <= (SELECT now FROM step) + make_interval(secs => $4::float8 / 1000), true)
    RETURNING greatest(0, extract(epoch FROM h.next_turn_at - (SELECT length FROM step) - (SELECT now FROM step))
      * 1000)::float8 AS wait_ms`,
};

function toHealth({ failures, openings, openUntil, paused, reason }: HealthRow): ProviderHealth {
  return { failures, openings, openUntil: openUntil ?? undefined, paused, reason: reason ?? undefined };
}

/** The health of providers, shared by all workers. */
export class ProviderHealthRows implements SharedHealth {
  private readonly rows: Table<NotificationProviderHealthEntity>;
  private readonly all: Query<KnownRow, object>;

  constructor(private readonly sql: Sql) {
    this.rows = new Table(sql, NotificationProviderHealthEntity);
    this.all = new Query(sql, 'provider-health-list', healthOfAll);
  }

  async list(): Promise<readonly KnownHealth[]> {
    const rows = await this.all.rows({});
    return rows.map((row) => ({
      ...toHealth(row),
      ...pick(row, ['version', 'changedAt']),
      id: row.providerId,
      waitMs: Math.ceil(row.waitMs),
    }));
  }

  async lock(tx: Tx, { id, version }: HealthOf): Promise<{ health: ProviderHealth; now: Date }> {
    await this.rows.addUnlessThere(tx, { providerId: id, version });
    const row = await this.sql.row<HealthRow & { now: Date }>(LOCK, [id], tx);
    if (row === undefined) throw new Error('a row that was just made is gone');
    return { health: row.version === version ? toHealth(row) : HEALTHY, now: row.now };
  }

  async write(tx: Tx, { id, version }: HealthOf, health: ProviderHealth): Promise<string> {
    const { failures, openings, openUntil = null, paused, reason = null } = health;
    const known = { version, failures, openings, openUntil, paused, reason };
    const [row] = await this.rows.change(tx, { providerId: id }, { ...known, probeUntil: null, ...COUNTED });
    if (row === undefined) throw new Error('a row that is locked is gone');
    return row.sequence;
  }

  async takeProbe({ id, version }: HealthOf, urgent: boolean, holdMs: number): Promise<boolean> {
    const statement = urgent ? TAKE_URGENT_PROBE : TAKE_PROBE;
    return (await this.sql.change(statement, [id, version, holdMs])) === 1;
  }

  async takeTurn(
    { id, version }: HealthOf,
    ratePerSecond: number,
    horizonMs: number,
  ): Promise<number | undefined> {
    const row = await this.sql.row<{ wait_ms: number }>(TAKE_TURN, [id, version, ratePerSecond, horizonMs]);
    return row?.wait_ms;
  }
}
