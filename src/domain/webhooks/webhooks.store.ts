import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, WebhookDeadLetterId, WebhookId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type {
  DeadLetter,
  Webhook,
  WebhookBacklog,
  WebhookHealth,
  WebhookPlan,
  WebhookState,
} from './webhook.js';

/** A webhook as administrators see it: never its secret. */
export interface WebhookRecord {
  readonly webhook: Webhook;
  readonly state: WebhookState;
  readonly health: WebhookHealth;
  /** Until when the secret before this one signs as well. */
  readonly formerSecretUntil: Date | null;
  readonly details: ResourceDetails;
}

/** Which one, and whose: null for the instance's. */
export interface WebhookPlace {
  readonly orgId: OrgId | null;
  readonly id: WebhookId;
}

/**
 * What administrators do with webhooks. Whatever changes one takes it from whoever holds it at that moment: what is under way
 * ends, and is delivered again by the new settings.
 */
export abstract class WebhooksStore {
  abstract list(orgId: OrgId | null, query: PageQuery): Promise<Page<WebhookRecord>>;

  abstract find(place: WebhookPlace, tx?: Tx): Promise<WebhookRecord | undefined>;

  /** Locked until the transaction ends. */
  abstract lockForUpdate(tx: Tx, place: WebhookPlace): Promise<WebhookRecord | undefined>;

  /**
   * Active, and at the end of the log: it gets what happens from now on. The secret is sealed.
   * @throws ApiError failed-precondition where the organization has too many
   */
  abstract add(
    tx: Tx,
    orgId: OrgId | null,
    plan: WebhookPlan,
    secret: string,
  ): Promise<{ readonly id: WebhookId; readonly details: ResourceDetails }>;

  abstract replace(tx: Tx, place: WebhookPlace, plan: WebhookPlan): Promise<ResourceDetails | undefined>;

  /** @returns undefined when there is none, or it is in that state */
  abstract setState(tx: Tx, place: WebhookPlace, state: WebhookState): Promise<ResourceDetails | undefined>;

  abstract remove(tx: Tx, place: WebhookPlace): Promise<ResourceDetails | undefined>;

  /** @param overlapSeconds for how long the one before signs as well */
  abstract setSecret(
    tx: Tx,
    place: WebhookPlace,
    secret: string,
    overlapSeconds: number,
  ): Promise<ResourceDetails | undefined>;

  /** Those that sign right now, the newest first. */
  abstract openSecrets(id: WebhookId): Promise<readonly string[]>;

  abstract backlog(id: WebhookId): Promise<WebhookBacklog>;

  /** Continues with the first event at or after that time, delivered or not. */
  abstract moveCursor(tx: Tx, place: WebhookPlace, from: Date): Promise<ResourceDetails | undefined>;

  abstract listDeadLetters(id: WebhookId, query: PageQuery): Promise<Page<DeadLetter>>;

  /**
   * Has dead letters sent again.
   * @param letterIds undefined for all
   * @returns how many there were
   */
  abstract queueDeadLetters(
    tx: Tx,
    id: WebhookId,
    letterIds: readonly WebhookDeadLetterId[] | undefined,
  ): Promise<number>;
}
