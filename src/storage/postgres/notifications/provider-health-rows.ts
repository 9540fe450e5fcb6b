// SQL by hand: probes and turns are taken on condition
import { HEALTHY, type ProviderHealth } from '../../../domain/notifications/health/provider-health.js';
import type {
  HealthOf,
  KnownHealth,
  SharedHealth,
} from '../../../domain/notifications/providers/notification-providers.store.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { Sql } from '../sql.js';

const LIST = {
  name: 'provider-health-list',
  text: `
    SELECT provider_id, version, failures, openings, open_until, paused, reason, changed_at,
      greatest(0, coalesce(extract(epoch FROM open_until - (SELECT app_now())) * 1000, 0))::float8 AS wait_ms
    FROM notification_provider_health`,
};

const ENSURE = {
  name: 'provider-health-ensure',
  text: `INSERT INTO notification_provider_health (provider_id, version) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
};

const LOCK = {
  name: 'provider-health-lock',
  text: `
    SELECT version, failures, openings, open_until, paused, reason, app_now() AS now
    FROM notification_provider_health WHERE provider_id = $1 FOR UPDATE`,
};

const WRITE = {
  name: 'provider-health-write',
  text: `
    UPDATE notification_provider_health SET version = $2, failures = $3, openings = $4, open_until = $5, paused = $6,
      reason = $7, probe_until = NULL, sequence = sequence + 1, changed_at = app_now()
    WHERE provider_id = $1 RETURNING sequence`,
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

// the turn that is taken is where next_turn_at stood; turns that nobody took are not saved up
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

type HealthRow = {
  version: string;
  failures: number;
  openings: number;
  open_until: Date | null;
  paused: boolean;
  reason: string | null;
};
type KnownRow = HealthRow & { provider_id: ProviderId; changed_at: Date; wait_ms: number };

function toHealth(row: HealthRow): ProviderHealth {
  return {
    failures: row.failures,
    openings: row.openings,
    openUntil: row.open_until ?? undefined,
    paused: row.paused,
    reason: row.reason ?? undefined,
  };
}

/** How providers are doing, as all workers know it. */
export class ProviderHealthRows implements SharedHealth {
  constructor(private readonly sql: Sql) {}

  async list(): Promise<readonly KnownHealth[]> {
    const rows = await this.sql.rows<KnownRow>(LIST, []);
    return rows.map((row) => ({
      ...toHealth(row),
      id: row.provider_id,
      version: row.version,
      changedAt: row.changed_at,
      waitMs: Math.ceil(row.wait_ms),
    }));
  }

  async lock(tx: Tx, { id, version }: HealthOf): Promise<{ health: ProviderHealth; now: Date }> {
    await this.sql.change(ENSURE, [id, version], tx);
    const row = await this.sql.row<HealthRow & { now: Date }>(LOCK, [id], tx);
    if (row === undefined) throw new Error('a row that was just made is gone');
    return { health: row.version === version ? toHealth(row) : HEALTHY, now: row.now };
  }

  async write(tx: Tx, { id, version }: HealthOf, health: ProviderHealth): Promise<string> {
    const { failures, openings, openUntil, paused, reason } = health;
    const values = [id, version, failures, openings, openUntil ?? null, paused, reason ?? null];
    const row = await this.sql.row<{ sequence: string }>(WRITE, values, tx);
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
