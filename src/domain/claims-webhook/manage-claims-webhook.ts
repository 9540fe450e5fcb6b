import { Injectable } from '@nestjs/common';
import { EventsStore, type AuditEvent } from '../events/events.store.js';
import { ChannelError } from '../notifications/channels.js';
import { ProviderHosts } from '../notifications/providers/provider-hosts.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { reasonToldTo } from '../webhooks/webhook-endpoint.js';
import { newSigningSecret } from '../webhooks/webhook-signature.js';
import { AskForClaims } from './ask-for-claims.js';
import type { ClaimsWebhookPlan } from './claims-webhook.js';
import { ClaimsWebhooksStore } from './claims-webhooks.store.js';

function claimsWebhookNotFound(): ApiError {
  return new ApiError('not-found', 'Claims webhook could not be found', 'HOOK-Cw6yt');
}

/** With the secret where one was made: it is shown this once. */
export interface PutClaimsWebhook {
  readonly details: ResourceDetails;
  readonly secret?: string | undefined;
}

/** What a test brought. */
export interface ClaimsWebhookTest {
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** Why there are none, by kind. */
  readonly reason?: string | undefined;
  readonly durationMs: number;
}

/** The claims webhook of an organization is kept by its owners. */
@Injectable()
export class ManageClaimsWebhook {
  constructor(
    private readonly webhooks: ClaimsWebhooksStore,
    private readonly events: EventsStore,
    private readonly hosts: ProviderHosts,
    private readonly claims: AskForClaims,
  ) {}

  /** Adds it, with a secret, or replaces its settings and leaves the secret. @throws ApiError invalid-argument */
  async put(tx: Tx, orgId: OrgId, plan: ClaimsWebhookPlan, actorId: UserId): Promise<PutClaimsWebhook> {
    const problem = this.hosts.problemWithUrl(plan.url);
    if (problem !== undefined) throw new ApiError('invalid-argument', `url ${problem}`);
    const before = await this.webhooks.lockForUpdate(tx, orgId);
    if (before === undefined) {
      const secret = newSigningSecret();
      const added = await this.webhooks.add(tx, orgId, plan, secret);
      await this.record(tx, 'added', orgId, actorId, added);
      return { details: added, secret };
    }
    const details = foundOf(await this.webhooks.replace(tx, orgId, plan));
    const fields = (['onFailure', 'timeoutSeconds', 'url'] as const).filter(
      (field) => before[field] !== plan[field],
    );
    await this.record(tx, 'changed', orgId, actorId, details, { fields });
    return { details };
  }

  /** @throws ApiError not-found */
  async changeSecret(
    tx: Tx,
    orgId: OrgId,
    overlapSeconds: number,
    actorId: UserId,
  ): Promise<{ readonly details: ResourceDetails; readonly secret: string }> {
    const secret = newSigningSecret();
    const details = foundOf(await this.webhooks.setSecret(tx, orgId, secret, overlapSeconds));
    await this.record(tx, 'secret.changed', orgId, actorId, details, { data: { overlapSeconds } });
    return { details, secret };
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, orgId: OrgId, actorId: UserId): Promise<ResourceDetails> {
    const details = foundOf(await this.webhooks.remove(tx, orgId));
    await this.record(tx, 'removed', orgId, actorId, details);
    return details;
  }

  /** Asks about the caller, for no token. @throws ApiError not-found */
  async test(orgId: OrgId, userId: UserId): Promise<ClaimsWebhookTest> {
    const webhook = await this.webhooks.findCallable(orgId);
    if (webhook === undefined) throw claimsWebhookNotFound();
    const begunAt = performance.now();
    const durationMs = () => Math.round(performance.now() - begunAt);
    const question = {
      userId,
      clientId: undefined,
      projectId: undefined,
      scopes: [],
      for: ['test'],
    } as const;
    try {
      const claims = await this.claims.ask(orgId, webhook, question);
      return { claims, durationMs: durationMs() };
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      return { reason: reasonToldTo(orgId, error), durationMs: durationMs() };
    }
  }

  private async record(
    tx: Tx,
    what: 'added' | 'changed' | 'removed' | 'secret.changed',
    orgId: OrgId,
    actorId: UserId,
    { sequence }: ResourceDetails,
    more: Pick<AuditEvent, 'fields' | 'data'> = {},
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'claims_webhook',
      aggregateId: orgId,
      sequence,
      type: `claims_webhook.${what}`,
      actorId,
      ...more,
    });
  }
}

function foundOf(details: ResourceDetails | undefined): ResourceDetails {
  if (details === undefined) throw claimsWebhookNotFound();
  return details;
}
