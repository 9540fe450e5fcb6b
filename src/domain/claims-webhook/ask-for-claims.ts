import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { ChannelError } from '../notifications/channels.js';
import { Clock } from '../shared/clock.js';
import { OAuthError } from '../shared/errors.js';
import type { OrgId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomId } from '../shared/random.js';
import { WebhookMeter } from '../webhooks/webhook-meter.js';
import { signedHeaders } from '../webhooks/webhook-signature.js';
import { claimsIn } from './added-claims.js';
import { ClaimsEndpoint } from './claims-endpoint.js';
import type { CallableClaimsWebhook } from './claims-webhook.js';
import { ClaimsWebhooksStore } from './claims-webhooks.store.js';

/** The audit log gets one alarm about failures per hour; a process checks this often whether it is due. */
const ALARM_PAUSE_SECONDS = 3_600;
const LOOK_PAUSE_MS = 60_000;
const MOST_KNOWN = 10_000;
const TYPE = 'claims.requested';

/** Who is asked about. Ids alone: whoever answers looks up what they need. */
interface ClaimsQuestion {
  readonly userId: string;
  readonly clientId: string | undefined;
  readonly projectId: string | undefined;
  readonly scopes: readonly string[];
  /** Where the claims go; `test` for whoever tries it out. */
  readonly for: readonly ('access_token' | 'id_token' | 'userinfo' | 'test')[];
}

type Claims = Readonly<Record<string, unknown>>;

@Injectable()
export class AskForClaims {
  private readonly lookedAt = new Map<OrgId, number>();

  constructor(
    private readonly webhooks: ClaimsWebhooksStore,
    private readonly endpoint: ClaimsEndpoint,
    private readonly events: EventsStore,
    private readonly meter: WebhookMeter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * What the organization's webhook adds; nothing where it has none, or where it fails and tokens are issued all the same.
   * @throws OAuthError temporarily_unavailable where it fails and they are not
   */
  async of(orgId: OrgId, question: ClaimsQuestion): Promise<Claims> {
    const webhook = await this.webhooks.findCallable(orgId);
    if (webhook === undefined) return {};
    try {
      const claims = await this.ask(orgId, webhook, question);
      this.meter.countClaims('added');
      return claims;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      this.meter.countClaims('failed');
      this.alarm(orgId, error.reason);
      if (webhook.onFailure === 'issue') return {};
      throw new OAuthError(
        'temporarily_unavailable',
        'the claims webhook of the organization did not answer',
        error.reason,
      );
    }
  }

  /** @throws ChannelError that says by kind what went wrong */
  async ask(orgId: OrgId, webhook: CallableClaimsWebhook, question: ClaimsQuestion): Promise<Claims> {
    const { url, timeoutSeconds, secrets } = webhook;
    if (secrets.length === 0) throw new ChannelError('secret_unreadable', 'terminal');
    const id = `claims_${randomId()}`;
    const timestamp = new Date(this.clock.nowMs()).toISOString();
    const body = JSON.stringify({ type: TYPE, timestamp, data: { organizationId: orgId, ...question } });
    const headers = signedHeaders({ id, atSeconds: this.clock.nowSeconds(), body }, secrets);
    const about = question.userId;
    const call = { owner: orgId, about, url, headers, body, timeoutMs: timeoutSeconds * 1_000 };
    return await this.endpoint.ask(call, claimsIn);
  }

  /** Nobody waits for it, and a request that fails costs no statement but now and then. */
  private alarm(orgId: OrgId, reason: string): void {
    const now = this.clock.nowMs();
    if (now - (this.lookedAt.get(orgId) ?? 0) < LOOK_PAUSE_MS) return;
    if (this.lookedAt.size >= MOST_KNOWN) this.lookedAt.clear();
    this.lookedAt.set(orgId, now);
    this.log.warn('a claims webhook failed', { organization: orgId, reason });
    const about = { aggregateType: 'claims_webhook', aggregateId: orgId, orgId } as const;
    this.events
      .raiseAlarmAbout(about, ALARM_PAUSE_SECONDS, {})
      .catch((error: unknown) => this.log.error('an alarm could not be raised', error));
  }
}
