import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { CallableClaimsWebhook, ClaimsWebhook, ClaimsWebhookPlan } from './claims-webhook.js';

/** One of an organization, or none. */
export abstract class ClaimsWebhooksStore {
  abstract find(orgId: OrgId, tx?: Tx): Promise<ClaimsWebhook | undefined>;

  /** Locked until the transaction ends. */
  abstract lockForUpdate(tx: Tx, orgId: OrgId): Promise<ClaimsWebhook | undefined>;

  /** The secret is sealed. */
  abstract add(tx: Tx, orgId: OrgId, plan: ClaimsWebhookPlan, secret: string): Promise<ResourceDetails>;

  abstract replace(tx: Tx, orgId: OrgId, plan: ClaimsWebhookPlan): Promise<ResourceDetails | undefined>;

  /** @param overlapSeconds for how long the one before signs as well */
  abstract setSecret(
    tx: Tx,
    orgId: OrgId,
    secret: string,
    overlapSeconds: number,
  ): Promise<ResourceDetails | undefined>;

  abstract remove(tx: Tx, orgId: OrgId): Promise<ResourceDetails | undefined>;

  /** One prepared statement, on the way of a token that asks for it. */
  abstract findCallable(orgId: OrgId): Promise<CallableClaimsWebhook | undefined>;
}
