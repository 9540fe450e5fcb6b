import { Injectable } from '@nestjs/common';
import type { EventPlace, LoggedEvent } from '../../../domain/events/events.store.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { WebhookId } from '../../../domain/shared/ids.js';
import {
  WebhookDeliveriesStore,
  type ClaimedWebhook,
  type FailedAttempt,
  type QueuedLetter,
  type WebhookCursor,
} from '../../../domain/webhooks/webhook-deliveries.store.js';
import { timestampOf } from '../events/events-statement.js';
import { Query } from '../query.js';
import { Sql } from '../sql.js';
import { pick } from '../table.js';
import {
  ADVANCE,
  ADVANCE_BY,
  CLAIM_DUE,
  MEASURE,
  MOVE_TO_DEAD_LETTERS,
  MOVE_TO_DEAD_LETTERS_BY,
  POSTPONE,
  POSTPONE_BY,
  queuedLetter,
  RELEASE,
  REMOVE_LETTER,
  RETURN_LETTER,
  REWIND,
  REWIND_INSTANCE,
} from './delivery-statements.js';
import { openSigning, webhookSecretPlace, type SigningRow } from './webhook-secrets.js';

const CLAIMED = ['id', 'orgId', 'url', 'eventTypes', 'fence', 'attempts', 'hasQueuedLetters'] as const;
type ProgressRow = WebhookCursor & {
  readonly rereadUntil: string | null;
  readonly rereadAbove: string | null;
};
type ClaimedRow = Pick<ClaimedWebhook, (typeof CLAIMED)[number]> &
  ProgressRow &
  SigningRow &
  Record<string, unknown>;
type LetterRow = Pick<QueuedLetter, 'id' | 'attempts'> & EventPlace;

@Injectable()
export class PgWebhookDeliveriesStore extends WebhookDeliveriesStore {
  private readonly letters: Query<LetterRow, { readonly webhookId: WebhookId }>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.letters = new Query(sql, 'webhook-dead-letters-find-queued', queuedLetter);
  }

  override async claimDue(limit: number, holdMs: number): Promise<readonly ClaimedWebhook[]> {
    const rows = await this.sql.rows<ClaimedRow>(CLAIM_DUE, [limit, holdMs]);
    return await Promise.all(
      rows.map(async (row) => ({
        ...pick(row, CLAIMED),
        ...progressOf(row),
        secrets: await openSigning(this.sealer, webhookSecretPlace(row.id), row),
      })),
    );
  }

  override async advance(
    { id, fence }: ClaimedWebhook,
    to: WebhookCursor,
    delivered: boolean,
    holdMs: number,
  ): Promise<boolean> {
    const values = { id, fence, ...placeOf(to), delivered, holdMs };
    return (await this.sql.change(ADVANCE, ADVANCE_BY.valuesOf(values))) === 1;
  }

  override async rewind({
    id,
    orgId,
    fence,
  }: ClaimedWebhook): Promise<Pick<ClaimedWebhook, 'cursor' | 'passedBefore'> | undefined> {
    const statement = orgId === null ? REWIND_INSTANCE : REWIND;
    const row = await this.sql.row<ProgressRow & Record<string, unknown>>(statement, [id, fence]);
    return row && progressOf(row);
  }

  override async postpone(
    { id, fence }: ClaimedWebhook,
    { cursor, reason, attempts, delayMs }: FailedAttempt,
  ): Promise<boolean> {
    const values = { id, fence, ...placeOf(cursor), attempts, reason, delayMs };
    return (await this.sql.change(POSTPONE, POSTPONE_BY.valuesOf(values))) === 1;
  }

  override async bury(
    { id, fence }: ClaimedWebhook,
    { type }: LoggedEvent,
    { cursor, reason, attempts }: Omit<FailedAttempt, 'delayMs'>,
    holdMs: number,
  ): Promise<boolean> {
    const values = { id, fence, ...placeOf(cursor), type, reason, attempts, holdMs };
    return (await this.sql.change(MOVE_TO_DEAD_LETTERS, MOVE_TO_DEAD_LETTERS_BY.valuesOf(values))) === 1;
  }

  override async release({ id, fence }: ClaimedWebhook, restMs: number): Promise<void> {
    await this.sql.change(RELEASE, [id, fence, restMs]);
  }

  override async findQueuedLetter({ id }: ClaimedWebhook): Promise<QueuedLetter | undefined> {
    const row = await this.letters.row({ webhookId: id });
    return row && { ...pick(row, ['id', 'attempts']), place: pick(row, ['at', 'position']) };
  }

  override async removeLetter(
    { id, fence }: ClaimedWebhook,
    letter: QueuedLetter,
    holdMs: number,
  ): Promise<boolean> {
    return (await this.sql.change(REMOVE_LETTER, [id, fence, letter.id, holdMs])) === 1;
  }

  override async returnLetter(
    { id, fence }: ClaimedWebhook,
    letter: QueuedLetter,
    { reason, delayMs }: Pick<FailedAttempt, 'reason' | 'delayMs'>,
  ): Promise<boolean> {
    return (await this.sql.change(RETURN_LETTER, [id, fence, letter.id, reason, delayMs])) === 1;
  }

  override async measure(): Promise<{ readonly lagSeconds: number; readonly deadLetters: number }> {
    const row = await this.sql.row<{ lag: number; dead: number }>(MEASURE, []);
    return { lagSeconds: Math.max(0, row?.lag ?? 0), deadLetters: row?.dead ?? 0 };
  }
}

function placeOf({ at, position, highest }: WebhookCursor): WebhookCursor {
  return { at: timestampOf(at), position, highest };
}

function progressOf(row: ProgressRow): Pick<ClaimedWebhook, 'cursor' | 'passedBefore'> {
  const { rereadUntil: until, rereadAbove: above } = row;
  return {
    cursor: pick(row, ['at', 'position', 'highest']),
    passedBefore: until === null || above === null ? undefined : { until, above },
  };
}
