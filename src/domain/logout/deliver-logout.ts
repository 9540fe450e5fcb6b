import { Injectable } from '@nestjs/common';
import { backChannelUriProblem } from '../applications/back-channel-uri.js';
import { EventsStore } from '../events/events.store.js';
import { ChannelError } from '../notifications/channels.js';
import { OutboxStore } from '../outbox/outbox.store.js';
import { crashPoint } from '../shared/crash-point.js';
import type { LogoutNoticeId } from '../shared/ids.js';
import { type Tx, UnitOfWork } from '../shared/unit-of-work.js';
import { BackChannel } from './back-channel.js';
import { type ClaimedLogoutNotice, LogoutNoticesStore } from './logout-notices.store.js';
import { LogoutTokens } from './logout-tokens.js';

/** Some three hours with the queue's back-off. Counted in Postgres, so that lost or doubled jobs change nothing. */
export const MAX_LOGOUT_ATTEMPTS = 20;
/** Longer than a delivery can take, so that a claim lapses only when its worker is gone or frozen. */
const HOLD_MS = 15_000;

export type DeliverResult =
  | { readonly kind: 'delivered' }
  /** It will never be delivered. `failed` tells a dead letter from one that nobody waits for any more. */
  | { readonly kind: 'abandoned'; readonly reason: string; readonly failed: boolean }
  | { readonly kind: 'finished' }
  | { readonly kind: 'busy'; readonly retryInMs: number };

/**
 * Tells one application that a session is over (OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8), in the steps of
 * `SendNotification`: claim, read what holds now, deliver, then state, event and outbox row in one transaction under
 * the claim's fence.
 *
 * Unlike a mail, a logout may be repeated without harm: the second token has the same jti, and the session is over
 * already. So hand-overs are not counted, and a worker that dies after the application answered means one repetition.
 */
@Injectable()
export class DeliverLogout {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notices: LogoutNoticesStore,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
    private readonly tokens: LogoutTokens,
    private readonly backChannel: BackChannel,
  ) {}

  /**
   * @param outboxId the row that this work was published from, as the job says: not trusted
   * @throws ChannelError when the delivery failed and a retry may help; the claim is given back
   */
  async run(id: LogoutNoticeId, outboxId: string): Promise<DeliverResult> {
    crashPoint('logout-before-claim');
    const result = await this.notices.claim(id, HOLD_MS);
    if (result.kind === 'finished') {
      await this.outbox.discard(outboxId, 'notifications', { logoutNoticeId: id });
      return result;
    }
    if (result.kind === 'busy') return result;
    crashPoint('logout-after-claim');
    const claim = result.notice;
    const { uri } = claim;
    if (uri === null) return await this.abandon(claim, 'uri_withdrawn', false);
    if (!claim.applicationActive) return await this.abandon(claim, 'application_inactive', false);
    if (backChannelUriProblem(uri, claim.devMode) !== undefined) {
      return await this.abandon(claim, 'uri_not_allowed', true);
    }
    if (claim.givenUp) return await this.abandon(claim, 'endpoint_unreachable', true);
    if (claim.attempts > MAX_LOGOUT_ATTEMPTS) {
      return await this.abandon(claim, exhausted(claim.lastError), true);
    }
    try {
      await this.backChannel.deliver(uri, await this.tokens.make(claim));
    } catch (error) {
      return await this.afterFailure(claim, error);
    }
    crashPoint('logout-after-answer');
    const marked = await this.finish(claim, 'logout_notice.delivered', (tx) =>
      this.notices.markDelivered(tx, claim),
    );
    crashPoint('logout-after-mark');
    return { kind: marked ? 'delivered' : 'finished' };
  }

  private async afterFailure(claim: ClaimedLogoutNotice, error: unknown): Promise<DeliverResult> {
    const reason = error instanceof ChannelError ? error.reason : 'internal';
    if (error instanceof ChannelError && error.failure === 'terminal') {
      return await this.abandon(claim, reason, true, 'answered');
    }
    if (claim.attempts >= MAX_LOGOUT_ATTEMPTS) return await this.abandon(claim, exhausted(reason), true);
    await this.notices.release(claim, reason);
    throw error;
  }

  private async abandon(
    claim: ClaimedLogoutNotice,
    reason: string,
    failed: boolean,
    endpoint: 'answered' | 'silent' = 'silent',
  ): Promise<DeliverResult> {
    const marked = await this.finish(
      claim,
      'logout_notice.abandoned',
      (tx) => this.notices.markAbandoned(tx, claim, reason, endpoint),
      reason,
    );
    return marked ? { kind: 'abandoned', reason, failed } : { kind: 'finished' };
  }

  /** State, event and outbox row in one transaction; nothing at all when another worker holds the claim by now. */
  private finish(
    claim: ClaimedLogoutNotice,
    type: 'logout_notice.delivered' | 'logout_notice.abandoned',
    mark: (tx: Tx) => Promise<boolean>,
    reason?: string,
  ): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      if (!(await mark(tx))) return false;
      await this.events.append(tx, {
        orgId: claim.orgId,
        aggregateType: 'logout_notice',
        aggregateId: claim.id,
        sequence: claim.fence,
        type,
        actorId: null,
        data: {
          userId: claim.userId,
          sessionId: claim.sessionId,
          clientId: claim.clientId,
          attempts: claim.attempts,
          ...(reason === undefined ? {} : { reason }),
        },
      });
      if (claim.outboxId !== null) await this.outbox.finish(tx, claim.outboxId);
      return true;
    });
  }
}

function exhausted(lastReason: string | null): string {
  return `attempts_exhausted:${lastReason ?? 'unknown'}`;
}
