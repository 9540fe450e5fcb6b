import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { Config } from '../../../config/config.js';
import type { NotificationChannel } from '../../../domain/notifications/notifications.store.js';
import {
  NotificationProvidersStore,
  type ProviderPlan,
  type ProviderRecord,
  type ProviderState,
  type SecretChange,
  type SharedHealth,
} from '../../../domain/notifications/providers/notification-providers.store.js';
import type { Provider } from '../../../domain/notifications/providers/provider.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, ProviderId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { instanceOwner } from '../instance-owner.js';
import { changedSecret, sealSecret } from '../secrets/secret-columns.js';
import { Sql } from '../sql.js';
import {
  COUNTED,
  detailsWithOwner,
  PagedTable,
  pick,
  removedDetails,
  Table,
  type Changes,
} from '../table.js';
import { NotificationProviderEntity } from '../tables/notification-provider.entity.js';
import { configuredProviders } from './configured-providers.js';
import { ProviderHealthRows } from './provider-health-rows.js';
import { PLAN, providerPlace, toProvider } from './provider-row.js';

const REMEMBER_MS = 2_000;

@Injectable()
export class PgNotificationProvidersStore extends NotificationProvidersStore {
  override readonly health: SharedHealth;
  private readonly configured: readonly Provider[];
  private readonly rows: Table<NotificationProviderEntity>;
  private readonly pages: PagedTable<NotificationProviderEntity>;
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
    this.rows = new Table(sql, NotificationProviderEntity);
    this.pages = new PagedTable(sql, 'notification-providers-list', NotificationProviderEntity, [], {
      only: 'true',
    });
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
    const owner = await instanceOwner(this.sql);
    const page = await this.pages.list(query, {}, (row) => recordOf(row, owner));
    const from = Math.max(0, query.offset - page.total);
    const more = this.configured.slice(from, from + query.limit - page.items.length).map(ofConfiguration);
    // by offset alone: what the configuration names is no row, and has no place in an order of rows
    const { next: _, ...counted } = page;
    return { ...counted, items: [...page.items, ...more], total: page.total + this.configured.length };
  }

  override async find(id: ProviderId): Promise<ProviderRecord | undefined> {
    const configured = this.configured.find((provider) => provider.id === id);
    if (configured !== undefined) return ofConfiguration(configured);
    const row = await this.rows.find({ id });
    return row && recordOf(row, await instanceOwner(this.sql));
  }

  override async lockForUpdate(tx: Tx, id: ProviderId): Promise<ProviderRecord | undefined> {
    const row = await this.rows.find({ id }, tx, 'exclusive');
    return row && recordOf(row, await instanceOwner(this.sql, tx));
  }

  override async add(
    tx: Tx,
    plan: ProviderPlan,
    secret: string | undefined,
  ): Promise<{ readonly id: ProviderId; readonly details: ResourceDetails }> {
    const row = await this.rows.add(tx, pick(plan, PLAN));
    const { id } = row;
    // afterwards, because the secret is sealed for the row it stands in
    if (secret !== undefined)
      await this.rows.change(tx, { id }, sealSecret(this.sealer, providerPlace(id), secret));
    return { id, details: detailsWithOwner(await instanceOwner(this.sql, tx), row) };
  }

  override async replace(
    tx: Tx,
    id: ProviderId,
    plan: ProviderPlan,
    secret: SecretChange,
  ): Promise<ResourceDetails | undefined> {
    const columns = changedSecret(this.sealer, providerPlace(id), secret);
    return await this.change(tx, { id }, { ...pick(plan, PLAN), ...columns });
  }

  override async setState(
    tx: Tx,
    id: ProviderId,
    state: ProviderState,
  ): Promise<ResourceDetails | undefined> {
    return await this.change(tx, { id, state: Not(state) }, { state });
  }

  override async remove(tx: Tx, id: ProviderId): Promise<ResourceDetails | undefined> {
    const [removed] = await this.rows.remove(tx, { id });
    return removed && removedDetails(await instanceOwner(this.sql, tx), removed);
  }

  private async change(
    tx: Tx,
    where: Parameters<Table<NotificationProviderEntity>['change']>[1],
    values: Changes<NotificationProviderEntity>,
  ): Promise<ResourceDetails | undefined> {
    const [row] = await this.rows.change(tx, where, { ...values, ...COUNTED });
    return row && detailsWithOwner(await instanceOwner(this.sql, tx), row);
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
    const order = { priority: 'ASC', createdAt: 'ASC', id: 'ASC' } as const;
    const rows = await this.rows.list({ state: 'active' }, order);
    return [...rows.map(toProvider), ...this.configured];
  }
}

function recordOf(row: NotificationProviderEntity, owner: OrgId): ProviderRecord {
  return { provider: toProvider(row), state: row.state, details: detailsWithOwner(owner, row) };
}

function ofConfiguration(provider: Provider): ProviderRecord {
  return { provider, state: 'active', details: undefined };
}
