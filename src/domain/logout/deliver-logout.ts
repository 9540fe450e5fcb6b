import { Injectable } from '@nestjs/common';
import { calledUriProblem } from '../applications/called-uri.js';
import { ChannelError } from '../notifications/channels.js';
import { ClaimAndDeliver } from '../outbox/claim-and-deliver.js';
import type { Attempt, Delivery, DeliveryLimits, DeliveryResult, Unwanted } from '../outbox/delivery.js';
import { crashPoint } from '../shared/crash-point.js';
import type { LogoutNoticeId } from '../shared/ids.js';
import { BackChannel } from './back-channel.js';
import { DELIVER_LOGOUT, LogoutNoticesStore, type ClaimedLogoutNotice } from './logout-notices.store.js';
import { LogoutTokens } from './logout-tokens.js';
import { NoticePlaces } from './notice-places.js';

/** Some three hours with the queue's back-off. */
export const MAX_LOGOUT_ATTEMPTS = 20;
/** Longer than a delivery can take, so that a claim lapses only when its worker is gone or frozen. */
const HOLD_MS = 15_000;
const LIMITS: DeliveryLimits = {
  attempts: MAX_LOGOUT_ATTEMPTS,
  failures: MAX_LOGOUT_ATTEMPTS,
  handOvers: Number.POSITIVE_INFINITY,
  waitsAreFailures: true,
};

export type DeliverResult = Exclude<DeliveryResult, { kind: 'taken' }> | { readonly kind: 'delivered' };

/**
 * Notifies one application that a session has ended (OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8).
 *
 * Unlike a mail, a logout may be repeated without harm: the second token has the same jti, and the session is over
 * already. So hand-overs are not counted, and a worker that dies after the application answered means one repetition.
 */
@Injectable()
export class DeliverLogout {
  private readonly places = new NoticePlaces();

  constructor(
    private readonly engine: ClaimAndDeliver,
    private readonly notices: LogoutNoticesStore,
    private readonly tokens: LogoutTokens,
    private readonly backChannel: BackChannel,
  ) {}

  /**
   * @param outboxId the row that this work was published from, as the job says: not trusted
   * @returns `busy` also where others of its organization have the places (notice-places.ts)
   * @throws ChannelError when the delivery failed and a retry may help; the claim is given back
   */
  async run(id: LogoutNoticeId, outboxId: string): Promise<DeliverResult> {
    const orgId = await this.notices.findOwner(id);
    // the delivery engine reports the final outcome
    const place = orgId === undefined ? undefined : this.places.take(orgId);
    if (place?.kind === 'full') return { kind: 'busy', retryInMs: place.retryInMs };
    const begunAt = performance.now();
    let called = true;
    try {
      const result = await this.engine.run(this.deliveryOf(id), outboxId);
      called = result.kind !== 'busy' && result.kind !== 'finished';
      return result.kind === 'taken' ? { kind: 'delivered' } : result;
    } finally {
      place?.free(called ? performance.now() - begunAt : undefined);
    }
  }

  private deliveryOf(id: LogoutNoticeId): Delivery<ClaimedLogoutNotice, void, ChannelError> {
    return {
      name: 'logout',
      work: { queue: 'notifications', jobName: DELIVER_LOGOUT, payload: { logoutNoticeId: id } },
      events: { taken: 'logout_notice.delivered', abandoned: 'logout_notice.abandoned' },
      claim: async () => {
        const result = await this.notices.claim(id, HOLD_MS);
        return result.kind === 'claimed' ? { kind: 'claimed', claim: result.notice } : result;
      },
      unwanted,
      limitsOf: () => LIMITS,
      attempt: (claim) => this.attempt(claim),
      retry: async (claim, { reason, error }) => {
        await this.notices.release(claim, reason);
        if (error !== undefined) throw error;
        return undefined;
      },
      // the row and the log have the reason, for operators
      toldReason: (reason) => reason.replace('address_refused', 'dns'),
      subjectOf: ({ userId, sessionId, clientId }) => ({ userId, sessionId, clientId }),
      finish: (claim, _, event) =>
        this.engine.end(claim, event, (tx) => this.notices.markDelivered(tx, claim)),
      markAbandoned: async (tx, claim, { reason, error }) => {
        const endpoint = error?.failure === 'terminal' ? 'answered' : 'silent';
        return (await this.notices.markAbandoned(tx, claim, reason, endpoint)) ? 'abandoned' : 'lost';
      },
    };
  }

  private async attempt(claim: ClaimedLogoutNotice): Promise<Attempt<void, ChannelError>> {
    if (claim.uri === null) throw new Error('a logout for an application without an endpoint');
    try {
      await this.backChannel.deliver(claim.uri, await this.tokens.make(claim));
    } catch (error) {
      if (error instanceof ChannelError) return { kind: 'failed', error };
      throw error;
    }
    crashPoint('logout-after-answer');
    return { kind: 'taken', taken: undefined };
  }
}

function unwanted({ uri, applicationActive, devMode, givenUp }: ClaimedLogoutNotice): Unwanted | undefined {
  if (uri === null) return { reason: 'uri_withdrawn', deadLetter: false };
  if (!applicationActive) return { reason: 'application_inactive', deadLetter: false };
  if (calledUriProblem(uri, devMode) !== undefined) return { reason: 'uri_not_allowed', deadLetter: true };
  if (givenUp) return { reason: 'endpoint_unreachable', deadLetter: true };
  return undefined;
}
