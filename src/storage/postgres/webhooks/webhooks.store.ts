import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, WebhookDeadLetterId, WebhookId } from '../../../domain/shared/ids.js';
import { MOST_COUNTED, type Page, type PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type {
  DeadLetter,
  WebhookBacklog,
  WebhookPlan,
  WebhookState,
} from '../../../domain/webhooks/webhook.js';
import {
  WebhooksStore,
  type WebhookPlace,
  type WebhookRecord,
} from '../../../domain/webhooks/webhooks.store.js';
import { resourceOwner } from '../instance-owner.js';
import { is } from '../page-statement.js';
import { isOfOwner, PagedQuery, selecting } from '../query.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { sealSecret } from '../secrets/secret-columns.js';
import { Sql } from '../sql.js';
import {
  COUNTED,
  detailsWithOwner,
  PagedTable,
  pick,
  raised,
  removedDetails,
  Table,
  type Changes,
} from '../table.js';
import { WebhookDeadLetterEntity, WebhookEntity } from '../tables/webhook.entity.js';
import { BACKLOG } from './delivery-statements.js';
import {
  formerSecret,
  openSigning,
  webhookSecretPlace as placeOf,
  SIGNING,
  type SigningRow,
} from './webhook-secrets.js';

const PLAN = ['name', 'url', 'eventTypes'] as const satisfies readonly (keyof WebhookPlan)[];
const HEALTH = ['failures', 'lastError', 'lastDeliveredAt', 'nextAttemptAt'] as const;
const RECORD = [
  'id',
  'orgId',
  ...PLAN,
  ...HEALTH,
  'state',
  'formerSecretUntil',
  'sequence',
  'createdAt',
  'changedAt',
] as const;
type RecordRow = Pick<WebhookEntity, (typeof RECORD)[number]>;

/** Ends a claim, so that its worker can no longer write (fence), and makes the next delivery due now. */
const TAKEN_BACK: Changes<WebhookEntity> = {
  fence: raised(WebhookEntity, 'fence'),
  claimedUntil: null,
  attempts: 0,
  nextAttemptAt: () => 'app_now()',
};

/** The position of the newest event. */
const NEWEST = () => '(SELECT last_value FROM events_position_seq)';

@Injectable()
export class PgWebhooksStore extends WebhooksStore {
  private readonly rows: Table<WebhookEntity>;
  private readonly letters: Table<WebhookDeadLetterEntity>;
  private readonly pages: PagedQuery<RecordRow, { orgId: OrgId | null }>;
  private readonly letterPages: PagedTable<WebhookDeadLetterEntity>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new Table(sql, WebhookEntity);
    this.letters = new Table(sql, WebhookDeadLetterEntity);
    const listed = (entities: EntityManager) =>
      selecting(entities.createQueryBuilder(WebhookEntity, 'w'), RECORD).where(isOfOwner('w'));
    this.pages = new PagedQuery(sql, 'webhooks-list', listed, {
      name: 'name',
      filters: { state: is('state') },
    });
    this.letterPages = new PagedTable(sql, 'webhook-dead-letters-list', WebhookDeadLetterEntity, [
      'webhookId',
    ]);
  }

  override async list(orgId: OrgId | null, query: PageQuery): Promise<Page<WebhookRecord>> {
    const owner = await resourceOwner(this.sql, orgId);
    return await this.pages.list(query, { orgId }, (row) => recordOf(row, owner));
  }

  override async find(place: WebhookPlace, tx?: Tx): Promise<WebhookRecord | undefined> {
    const row = await this.rows.find(whereOf(place), tx);
    return row && recordOf(row, await resourceOwner(this.sql, place.orgId, tx));
  }

  override async lockForUpdate(tx: Tx, place: WebhookPlace): Promise<WebhookRecord | undefined> {
    const row = await this.rows.find(whereOf(place), tx, 'lock');
    return row && recordOf(row, await resourceOwner(this.sql, place.orgId, tx));
  }

  override async add(
    tx: Tx,
    orgId: OrgId | null,
    plan: WebhookPlan,
    secret: string,
  ): Promise<{ readonly id: WebhookId; readonly details: ResourceDetails }> {
    // those of the instance are not limited: only instance owners add them
    if (orgId !== null) await requireOwnedCapacity(this.sql, tx, 'webhooks', orgId, orgId);
    const row = await this.rows.add(tx, { orgId, ...pick(plan, PLAN), cursorHighest: NEWEST });
    const { id } = row;
    // afterwards, because the secret is sealed for the row it stands in
    await this.rows.change(tx, { id }, sealSecret(this.sealer, placeOf(id), secret));
    return { id, details: detailsWithOwner(await resourceOwner(this.sql, orgId, tx), row) };
  }

  override async replace(
    tx: Tx,
    place: WebhookPlace,
    plan: WebhookPlan,
  ): Promise<ResourceDetails | undefined> {
    return await this.change(tx, place, whereOf(place), pick(plan, PLAN));
  }

  override async setState(
    tx: Tx,
    place: WebhookPlace,
    state: WebhookState,
  ): Promise<ResourceDetails | undefined> {
    return await this.change(tx, place, { ...whereOf(place), state: Not(state) }, { state });
  }

  override async remove(tx: Tx, place: WebhookPlace): Promise<ResourceDetails | undefined> {
    const [removed] = await this.rows.remove(tx, whereOf(place));
    return removed && removedDetails(await resourceOwner(this.sql, place.orgId, tx), removed);
  }

  override async setSecret(
    tx: Tx,
    place: WebhookPlace,
    secret: string,
    overlapSeconds: number,
  ): Promise<ResourceDetails | undefined> {
    const former = formerSecret(overlapSeconds);
    const newest = sealSecret(this.sealer, placeOf(place.id), secret);
    return await this.change(tx, place, whereOf(place), { ...former, ...newest });
  }

  override async openSecrets(id: WebhookId): Promise<readonly string[]> {
    const row = await this.sql.row<SigningRow & Record<string, unknown>>(SIGNING, [id]);
    return row === undefined ? [] : await openSigning(this.sealer, placeOf(id), row);
  }

  override async backlog(id: WebhookId): Promise<WebhookBacklog> {
    type BacklogRow = { oldest_at: Date | null; lag: number | null; dead: number };
    const row = await this.sql.row<BacklogRow>(BACKLOG, [id]);
    return {
      oldestAt: row?.oldest_at ?? undefined,
      lagSeconds: Math.max(0, row?.lag ?? 0),
      deadLetters: Math.min(row?.dead ?? 0, MOST_COUNTED),
      hasMoreDeadLetters: (row?.dead ?? 0) > MOST_COUNTED,
    };
  }

  override async moveCursor(tx: Tx, place: WebhookPlace, from: Date): Promise<ResourceDetails | undefined> {
    // never in the future of the database, whose clock dates the events: those of until then would be left out
    const cursorAt = () => `least('${from.toISOString()}'::timestamptz, app_now())`;
    // positions begin at 1: nothing of that moment is left out
    const moved = {
      cursorAt,
      cursorPosition: '0',
      cursorHighest: NEWEST,
      rereadUntil: null,
      rereadAbove: null,
    };
    return await this.change(tx, place, whereOf(place), moved);
  }

  override async listDeadLetters(id: WebhookId, query: PageQuery): Promise<Page<DeadLetter>> {
    return await this.letterPages.list(query, { webhookId: id }, (row) => ({
      ...pick(row, ['id', 'eventAt', 'eventType', 'state', 'reason', 'attempts', 'createdAt']),
      eventId: row.eventPosition,
    }));
  }

  override async queueDeadLetters(
    tx: Tx,
    id: WebhookId,
    letterIds: readonly WebhookDeadLetterId[] | undefined,
  ): Promise<number> {
    const where = { webhookId: id, ...(letterIds !== undefined && { id: In(letterIds) }) };
    return await this.letters.changeAll(tx, where, { state: 'queued' });
  }

  private async change(
    tx: Tx,
    { orgId }: WebhookPlace,
    where: FindOptionsWhere<WebhookEntity>,
    values: Changes<WebhookEntity>,
  ): Promise<ResourceDetails | undefined> {
    const [row] = await this.rows.change(tx, where, { ...TAKEN_BACK, ...values, ...COUNTED });
    return row && detailsWithOwner(await resourceOwner(this.sql, orgId, tx), row);
  }
}

function whereOf({ orgId, id }: WebhookPlace): FindOptionsWhere<WebhookEntity> {
  return { id, orgId: orgId ?? IsNull() };
}

function recordOf(row: RecordRow, owner: OrgId): WebhookRecord {
  return {
    webhook: pick(row, ['id', 'orgId', ...PLAN]),
    state: row.state,
    health: pick(row, HEALTH),
    formerSecretUntil: row.formerSecretUntil,
    details: detailsWithOwner(owner, row),
  };
}
