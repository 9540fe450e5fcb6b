// SQL by hand: the sealed secret beside a provider is read by its own statement only
import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import type { ProviderHealth } from '../../../domain/notifications/health/provider-health.js';
import type { NotificationChannel } from '../../../domain/notifications/notifications.store.js';
import {
  NotificationProvidersStore,
  type HealthOf,
  type KnownHealth,
  type ProviderPlan,
  type ProviderRecord,
  type ProviderState,
  type SecretChange,
} from '../../../domain/notifications/providers/notification-providers.store.js';
import type { Provider } from '../../../domain/notifications/providers/provider.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { Sql } from '../sql.js';
import { detailsOf, type CountedRow } from '../table.js';
import { configuredProviders } from './configured-providers.js';
import { ProviderHealthRows } from './provider-health-rows.js';
import { PROVIDER_COLUMNS, providerPlace, toProvider, type ProviderRow } from './provider-row.js';

const REMEMBER_MS = 2_000;

const ACTIVE = {
  name: 'notification-providers-active',
  text: `SELECT ${PROVIDER_COLUMNS} FROM notification_providers WHERE state = 'active'
         ORDER BY priority, created_at, id`,
};

const LIST = pageStatement('notification-providers-list', {
  select: `SELECT ${PROVIDER_COLUMNS}, created_at FROM notification_providers`,
});
const FIND = {
  name: 'notification-providers-find',
  text: `SELECT ${PROVIDER_COLUMNS} FROM notification_providers WHERE id = $1`,
};
const LOCK_FOR_UPDATE = {
  name: 'notification-providers-lock-for-update',
  text: `SELECT ${PROVIDER_COLUMNS} FROM notification_providers WHERE id = $1 FOR UPDATE`,
};
const NEW_ID = { name: 'notification-providers-new-id', text: 'SELECT new_id() AS id' };

const ADD = {
  name: 'notification-providers-add',
  text: `
    INSERT INTO notification_providers (id, name, kind, channel, priority, rate_per_second, connections, settings,
                                        secret_sealed, data_key_id, created_at, changed_at)
    SELECT $1, $2, $3, $4, $5::integer, $6::integer, $7::integer, $8::jsonb, $9::bytea, $10::integer, now, now
    FROM (SELECT app_now() AS now) AS moment
    RETURNING ${PROVIDER_COLUMNS}`,
};

// a secret that is not touched moves with its row
const REPLACE = {
  name: 'notification-providers-replace',
  text: `
    UPDATE notification_providers SET name = $2, kind = $3, channel = $4, priority = $5, rate_per_second = $6,
      connections = $7, settings = $8::jsonb,
      secret_sealed = CASE WHEN $11::boolean THEN secret_sealed ELSE $9::bytea END,
      data_key_id = CASE WHEN $11 THEN data_key_id ELSE $10::integer END,
      sequence = sequence + 1, changed_at = app_now()
    WHERE id = $1 RETURNING ${PROVIDER_COLUMNS}`,
};
const SET_STATE = {
  name: 'notification-providers-set-state',
  text: `
    UPDATE notification_providers SET state = $2, sequence = sequence + 1, changed_at = app_now()
    WHERE id = $1 AND state <> $2 RETURNING ${PROVIDER_COLUMNS}`,
};
const REMOVE = {
  name: 'notification-providers-remove',
  text: `
    DELETE FROM notification_providers WHERE id = $1
    RETURNING sequence + 1 AS sequence, created_at AS "createdAt", app_now() AS "changedAt",
      (SELECT default_org_id FROM instance) AS "orgId"`,
};

@Injectable()
export class PgNotificationProvidersStore extends NotificationProvidersStore {
  private readonly configured: readonly Provider[];
  private readonly health: ProviderHealthRows;
  private remembered:
    { readonly until: number; readonly providers: Promise<readonly Provider[]> } | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
    config: Config,
  ) {
    super();
    this.configured = configuredProviders(config.app);
    this.health = new ProviderHealthRows(sql);
  }

  override async usable(channel: NotificationChannel): Promise<readonly Provider[]> {
    return (await this.active()).filter((provider) => provider.channel === channel);
  }

  override async findActive(id: ProviderId): Promise<Provider | undefined> {
    return (await this.active()).find((provider) => provider.id === id);
  }

  override forget(): void {
    this.remembered = undefined;
  }

  override async list(query: PageQuery): Promise<Page<ProviderRecord>> {
    const page = pageOf(await this.sql.rows<PageRow<ProviderRow>>(LIST, pageValues(query)), toRecord);
    const from = Math.max(0, query.offset - page.total);
    const more = this.configured.slice(from, from + query.limit - page.items.length).map(ofConfiguration);
    return { ...page, items: [...page.items, ...more], total: page.total + this.configured.length };
  }

  override async find(id: ProviderId): Promise<ProviderRecord | undefined> {
    const configured = this.configured.find((provider) => provider.id === id);
    if (configured !== undefined) return ofConfiguration(configured);
    const row = await this.sql.row<ProviderRow>(FIND, [id]);
    return row && toRecord(row);
  }

  override async lockForUpdate(tx: Tx, id: ProviderId): Promise<ProviderRecord | undefined> {
    const row = await this.sql.row<ProviderRow>(LOCK_FOR_UPDATE, [id], tx);
    return row && toRecord(row);
  }

  override async add(
    tx: Tx,
    plan: ProviderPlan,
    secret: string | undefined,
  ): Promise<{ readonly id: ProviderId; readonly details: ResourceDetails }> {
    // first, because the secret is sealed for the row it will stand in
    const made = await this.sql.row<{ id: ProviderId }>(NEW_ID, [], tx);
    if (made === undefined) throw new Error('no id was made');
    const change = secret === undefined ? 'none' : { set: secret };
    const row = await this.sql.row<ProviderRow>(ADD, this.values(made.id, plan, change), tx);
    if (row === undefined) throw new Error('the provider was not added');
    return { id: row.id, details: detailsOf(row) };
  }

  override async replace(
    tx: Tx,
    id: ProviderId,
    plan: ProviderPlan,
    secret: SecretChange,
  ): Promise<ResourceDetails | undefined> {
    const values = [...this.values(id, plan, secret), secret === 'keep'];
    const row = await this.sql.row<ProviderRow>(REPLACE, values, tx);
    return row && detailsOf(row);
  }

  override async setState(
    tx: Tx,
    id: ProviderId,
    state: ProviderState,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ProviderRow>(SET_STATE, [id, state], tx);
    return row && detailsOf(row);
  }

  override async remove(tx: Tx, id: ProviderId): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<CountedRow>(REMOVE, [id], tx);
    return row && detailsOf(row);
  }

  override listHealth(): Promise<readonly KnownHealth[]> {
    return this.health.listHealth();
  }

  override lockHealth(tx: Tx, provider: HealthOf): Promise<{ health: ProviderHealth; now: Date }> {
    return this.health.lockHealth(tx, provider);
  }

  override writeHealth(tx: Tx, provider: HealthOf, health: ProviderHealth): Promise<string> {
    return this.health.writeHealth(tx, provider, health);
  }

  override takeProbe(provider: HealthOf, urgent: boolean, holdMs: number): Promise<boolean> {
    return this.health.takeProbe(provider, urgent, holdMs);
  }

  override takeTurn(
    provider: HealthOf,
    ratePerSecond: number,
    horizonMs: number,
  ): Promise<number | undefined> {
    return this.health.takeTurn(provider, ratePerSecond, horizonMs);
  }

  private async active(): Promise<readonly Provider[]> {
    const now = performance.now();
    // counted from the question, not from its answer
    if (this.remembered === undefined || this.remembered.until <= now) {
      this.remembered = { until: now + REMEMBER_MS, providers: this.read() };
    }
    const asked = this.remembered;
    try {
      return await asked.providers;
    } catch (error) {
      if (this.remembered === asked) this.remembered = undefined;
      throw error;
    }
  }

  private async read(): Promise<readonly Provider[]> {
    const rows = await this.sql.rows<ProviderRow>(ACTIVE, []);
    return [...rows.map(toProvider), ...this.configured];
  }

  private values(id: ProviderId, plan: ProviderPlan, secret: SecretChange): unknown[] {
    const sealed =
      typeof secret === 'object' ? this.sealer.seal(providerPlace(id), Buffer.from(secret.set)) : undefined;
    return [
      id,
      plan.name,
      plan.kind,
      plan.channel,
      plan.priority,
      plan.ratePerSecond,
      plan.connections,
      JSON.stringify(plan.settings),
      sealed?.sealed ?? null,
      sealed?.dataKeyId ?? null,
    ];
  }
}

function toRecord(row: ProviderRow): ProviderRecord {
  return { provider: toProvider(row), state: row.state, details: detailsOf(row) };
}

function ofConfiguration(provider: Provider): ProviderRecord {
  return { provider, state: 'active', details: undefined };
}
