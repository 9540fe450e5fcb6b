import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { EventsStore, type AuditEvent } from '../events/events.store.js';
import { ProviderHosts } from '../notifications/providers/provider-hosts.js';
import { Clock } from '../shared/clock.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId, WebhookDeadLetterId, WebhookId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { isKnownPattern } from './event-patterns.js';
import { newSigningSecret } from './webhook-signature.js';
import type { WebhookPlan, WebhookState } from './webhook.js';
import { WebhooksStore, type WebhookPlace, type WebhookRecord } from './webhooks.store.js';

export function webhookNotFound(): ApiError {
  return new ApiError('not-found', 'Webhook could not be found', 'HOOK-Nf4tq');
}

function deadLetterNotFound(): ApiError {
  return new ApiError('not-found', 'Dead letter could not be found', 'HOOK-Dl2rz');
}

interface WebhookChange extends WebhookPlace {
  readonly actorId: UserId;
}

/** Shown once, when a secret is created. */
export interface WithSecret {
  readonly details: ResourceDetails;
  readonly secret: string;
}

type Change =
  | 'added'
  | 'changed'
  | 'activated'
  | 'deactivated'
  | 'removed'
  | 'replayed'
  | 'dead_letters.replayed'
  | 'secret.changed';

/**
 * Webhooks of an organization are kept by its owners, those of the instance by its administrators. What is sent is signed by a
 * secret of ours, which is shown once.
 */
@Injectable()
export class ManageWebhooks {
  constructor(
    private readonly webhooks: WebhooksStore,
    private readonly events: EventsStore,
    private readonly hosts: ProviderHosts,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError invalid-argument, failed-precondition */
  async add(
    tx: Tx,
    orgId: OrgId | null,
    plan: WebhookPlan,
    actorId: UserId,
  ): Promise<WithSecret & { readonly id: WebhookId }> {
    this.requireAllowed(plan);
    const secret = newSigningSecret();
    const added = await this.webhooks.add(tx, orgId, plan, secret);
    await this.record(tx, 'added', { orgId, id: added.id, actorId }, added.details);
    return { ...added, secret };
  }

  /** @throws ApiError as `add`, not-found */
  async replace(tx: Tx, change: WebhookChange, plan: WebhookPlan): Promise<ResourceDetails> {
    this.requireAllowed(plan);
    const { webhook } = await this.lockForUpdate(tx, change);
    const details = foundOf(await this.webhooks.replace(tx, change, plan));
    const fields = (['eventTypes', 'name', 'url'] as const).filter(
      (field) => !isDeepStrictEqual(webhook[field], plan[field]),
    );
    await this.record(tx, 'changed', change, details, { fields });
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async setState(tx: Tx, change: WebhookChange, state: WebhookState): Promise<ResourceDetails> {
    await this.lockForUpdate(tx, change);
    const details = await this.webhooks.setState(tx, change, state);
    if (details === undefined) {
      throw new ApiError('failed-precondition', `Webhook is ${state} already`, 'HOOK-St7wk');
    }
    await this.record(tx, state === 'active' ? 'activated' : 'deactivated', change, details);
    return details;
  }

  /** With its dead letters. @throws ApiError not-found */
  async remove(tx: Tx, change: WebhookChange): Promise<ResourceDetails> {
    await this.lockForUpdate(tx, change);
    const details = foundOf(await this.webhooks.remove(tx, change));
    await this.record(tx, 'removed', change, details);
    return details;
  }

  /** @param overlapSeconds for how long the secret before signs as well @throws ApiError not-found */
  async changeSecret(tx: Tx, change: WebhookChange, overlapSeconds: number): Promise<WithSecret> {
    await this.lockForUpdate(tx, change);
    const secret = newSigningSecret();
    const details = foundOf(await this.webhooks.setSecret(tx, change, secret, overlapSeconds));
    await this.record(tx, 'secret.changed', change, details, { data: { overlapSeconds } });
    return { details, secret };
  }

  /** Sends again what happened since then, or leaves out what happened before. @throws ApiError not-found, invalid-argument */
  async replay(tx: Tx, change: WebhookChange, from: Date): Promise<ResourceDetails> {
    if (from.getTime() > this.clock.nowMs()) {
      throw new ApiError('invalid-argument', 'from must not be in the future');
    }
    await this.lockForUpdate(tx, change);
    const details = foundOf(await this.webhooks.moveCursor(tx, change, from));
    await this.record(tx, 'replayed', change, details, { data: { from: from.toISOString() } });
    return details;
  }

  /** @param letterIds undefined for all @throws ApiError not-found where one of them is not there */
  async replayDeadLetters(
    tx: Tx,
    change: WebhookChange,
    letterIds: readonly WebhookDeadLetterId[] | undefined,
  ): Promise<{ readonly details: ResourceDetails; readonly count: number }> {
    const { details } = await this.lockForUpdate(tx, change);
    const count = await this.webhooks.queueDeadLetters(tx, change.id, letterIds);
    if (count < new Set(letterIds).size) throw deadLetterNotFound();
    if (count > 0) await this.record(tx, 'dead_letters.replayed', change, details, { data: { count } });
    return { details, count };
  }

  private async lockForUpdate(tx: Tx, place: WebhookPlace): Promise<WebhookRecord> {
    const record = await this.webhooks.lockForUpdate(tx, place);
    if (record === undefined) throw webhookNotFound();
    return record;
  }

  private requireAllowed({ url, eventTypes }: WebhookPlan): void {
    const problem = this.hosts.problemWithUrl(url);
    if (problem !== undefined) throw new ApiError('invalid-argument', `url ${problem}`);
    const unknown = eventTypes.find((pattern) => !isKnownPattern(pattern));
    if (unknown === undefined) return;
    throw new ApiError(
      'invalid-argument',
      `eventTypes has "${unknown}", which is no type of docs/events.md, no beginning of one (user.*), and not *`,
    );
  }

  private async record(
    tx: Tx,
    what: Change,
    { orgId, id, actorId }: WebhookChange,
    { sequence }: ResourceDetails,
    more: Pick<AuditEvent, 'fields' | 'data'> = {},
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'webhook',
      aggregateId: id,
      sequence,
      type: `webhook.${what}`,
      actorId,
      ...more,
    });
  }
}

function foundOf(details: ResourceDetails | undefined): ResourceDetails {
  if (details === undefined) throw webhookNotFound();
  return details;
}
