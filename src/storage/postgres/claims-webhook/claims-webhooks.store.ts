// SQL by hand where tokens are issued: one prepared statement reads the webhook with those of its secrets that are still valid
import { Injectable } from '@nestjs/common';
import type {
  CallableClaimsWebhook,
  ClaimsWebhook,
  ClaimsWebhookPlan,
} from '../../../domain/claims-webhook/claims-webhook.js';
import { ClaimsWebhooksStore } from '../../../domain/claims-webhook/claims-webhooks.store.js';
import { Sealer, type SealedPlace } from '../../../domain/secrets/sealer.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { sealSecret } from '../secrets/secret-columns.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { columns, CountedTable, detailsOf, detailsOfNew, pick, SET_ANEW } from '../table.js';
import { ClaimsWebhookEntity } from '../tables/claims-webhook.entity.js';
import { formerSecret, openSigning, signingColumns, type SigningRow } from '../webhooks/webhook-secrets.js';

const PLAN = ['url', 'timeoutSeconds', 'onFailure'] as const satisfies readonly (keyof ClaimsWebhookPlan)[];

const FIND_CALLABLE = {
  name: 'claims-webhooks-find-callable',
  text: `SELECT ${columns(ClaimsWebhookEntity, 'w', PLAN)}, ${signingColumns('w')} FROM claims_webhooks w WHERE w.org_id = $1`,
};

/** Of two who set the first at once, one has. */
const TAKEN = {
  claims_webhooks_pkey: () => new ApiError('aborted', 'Somebody else has set it meanwhile', 'CLAIMS-Tw3ce'),
};

@Injectable()
export class PgClaimsWebhooksStore extends ClaimsWebhooksStore {
  private readonly rows: CountedTable<ClaimsWebhookEntity>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new CountedTable(sql, ClaimsWebhookEntity);
  }

  override async find(orgId: OrgId, tx?: Tx): Promise<ClaimsWebhook | undefined> {
    const row = await this.rows.find({ orgId }, tx);
    return row && recordOf(row);
  }

  override async lockForUpdate(tx: Tx, orgId: OrgId): Promise<ClaimsWebhook | undefined> {
    const row = await this.rows.find({ orgId }, tx, 'lock');
    return row && recordOf(row);
  }

  override async add(
    tx: Tx,
    orgId: OrgId,
    plan: ClaimsWebhookPlan,
    secret: string,
  ): Promise<ResourceDetails> {
    const sealed = sealSecret(this.sealer, placeOf(orgId), secret);
    const row = { orgId, sequence: () => SET_ANEW, ...pick(plan, PLAN), ...sealed };
    return detailsOfNew(await mapUniqueViolations(this.rows.add(tx, row), TAKEN));
  }

  override async replace(
    tx: Tx,
    orgId: OrgId,
    plan: ClaimsWebhookPlan,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, { orgId }, pick(plan, PLAN));
  }

  override async setSecret(
    tx: Tx,
    orgId: OrgId,
    secret: string,
    overlapSeconds: number,
  ): Promise<ResourceDetails | undefined> {
    const changes = { ...formerSecret(overlapSeconds), ...sealSecret(this.sealer, placeOf(orgId), secret) };
    return await this.rows.changeOne(tx, { orgId }, changes);
  }

  override async remove(tx: Tx, orgId: OrgId): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, { orgId });
  }

  override async findCallable(orgId: OrgId): Promise<CallableClaimsWebhook | undefined> {
    const row = await this.sql.pipelined<ClaimsWebhookPlan & SigningRow & Record<string, unknown>>(
      FIND_CALLABLE,
      [orgId],
    );
    return row && { ...pick(row, PLAN), secrets: await openSigning(this.sealer, placeOf(orgId), row) };
  }
}

function placeOf(orgId: OrgId): SealedPlace {
  return {
    purpose: 'claims-webhook-secret',
    table: 'claims_webhooks',
    column: 'secret_sealed',
    rowId: orgId,
  };
}

function recordOf(row: ClaimsWebhookEntity): ClaimsWebhook {
  return { ...pick(row, ['orgId', ...PLAN, 'formerSecretUntil']), details: detailsOf(row) };
}
