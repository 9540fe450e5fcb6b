import { Injectable } from '@nestjs/common';
import { Log } from '../shared/log.js';
import { destinationOf, refusedDestination } from './abuse/sms-destination.js';
import { SmsLimitSettings } from './abuse/sms-limit-settings.js';
import { ChannelError, type Accepted, type FailedWith } from './channels.js';
import { ProviderGates } from './health/provider-gates.js';
import { NotificationsStore, type ClaimedNotification } from './notifications.store.js';
import { NotificationProvidersStore } from './providers/notification-providers.store.js';
import { carries, type Provider } from './providers/provider.js';
import { SendByProvider } from './send-by-provider.js';

/** Longer than a send can take, so that a claim lapses only when its worker is gone or frozen. */
export const HOLD_MS = 40_000;
/** When a provider that has just been paused is asked about again. */
const LOOK_AGAIN_MS = 5_000;

type HandOverResult =
  | { readonly kind: 'accepted'; readonly accepted: Accepted }
  /** Another worker has the claim. */
  | { readonly kind: 'lost' }
  /** No provider takes anything now; `reason` is what the last one said that was asked. */
  | {
      readonly kind: 'held';
      readonly waitMs: number;
      readonly reason: string | undefined;
      readonly with?: FailedWith | undefined;
    }
  | { readonly kind: 'failed'; readonly error: ChannelError };

/**
 * Hands a claimed message to the first provider that accepts it. The next one is tried only when the one before
 * certainly did not accept it: it was not called, or refused temporarily. A permanent refusal, and an unknown
 * outcome, end the search.
 */
@Injectable()
export class HandOver {
  constructor(
    private readonly notifications: NotificationsStore,
    private readonly providers: NotificationProvidersStore,
    private readonly gates: ProviderGates,
    private readonly sends: SendByProvider,
    private readonly limits: SmsLimitSettings,
    private readonly log: Log,
  ) {}

  async run(claim: ClaimedNotification, urgent: boolean): Promise<HandOverResult> {
    const send = this.sends.prepare(claim);
    const closed = this.closedTo(claim);
    if (closed !== undefined) return { kind: 'failed', error: closed };
    let failure: ChannelError | undefined;
    let refused: ChannelError | undefined;
    let waitMs = Number.POSITIVE_INFINITY;
    for (const provider of await this.candidates(claim)) {
      const admission = await this.gates.enter(provider, urgent);
      if (admission.kind === 'closed') {
        waitMs = Math.min(waitMs, admission.waitMs);
        continue;
      }
      try {
        const marked = await this.notifications.markHandedOver(
          claim,
          provider.id,
          claim.handOvers + 1,
          HOLD_MS,
        );
        if (!marked) return { kind: 'lost' };
        const accepted = await send(provider);
        // the message is away, whatever becomes of the note about it
        await this.gates.succeeded(provider).catch(() => undefined);
        return { kind: 'accepted', accepted };
      } catch (error) {
        // a channel throws nothing else: this came before the hand-over
        if (!(error instanceof ChannelError)) throw error;
        this.warn(claim, provider, error);
        // an error from here on would pass for one before the hand-over, and the message would be sent again
        await this.gates.failed(provider, error).catch(() => undefined);
        if (error.failure === 'ambiguous') return { kind: 'failed', error };
        if (error.scope === 'provider') {
          refused = error;
          waitMs = Math.min(waitMs, error.retryAfterMs ?? LOOK_AGAIN_MS);
        } else if (error.failure === 'terminal') return { kind: 'failed', error };
        else failure = error;
      } finally {
        admission.leave();
      }
    }
    if (failure !== undefined) return { kind: 'failed', error: failure };
    const wait = Number.isFinite(waitMs) ? waitMs : LOOK_AGAIN_MS;
    return { kind: 'held', waitMs: wait, reason: refused?.reason, with: refused?.with };
  }

  /** Whatever the outcome of the message: operators must learn of a provider that refuses it. */
  private warn({ id, channel }: ClaimedNotification, provider: Provider, error: ChannelError): void {
    const { reason, failure } = error;
    const { host, port, cause } = error.with ?? {};
    this.log.warn('a message was not delivered', {
      id,
      channel,
      provider: provider.id,
      reason,
      failure,
      host,
      port,
      cause,
    });
  }

  /** Asked again last of all: a message may be queued from before an operator closed where it goes (security S190). */
  private closedTo({ channel, phone }: ClaimedNotification): ChannelError | undefined {
    if (channel !== 'sms' || phone === null) return undefined;
    const destination = destinationOf(phone, this.limits.prefixTail);
    const rule = refusedDestination(destination, this.limits, 'manager');
    return rule && new ChannelError(`sms_${rule}`, 'terminal');
  }

  private async candidates(claim: ClaimedNotification): Promise<readonly Provider[]> {
    if (claim.codeProviderId !== null) {
      const maker = await this.providers.findActive(claim.codeProviderId);
      return maker === undefined ? [] : [maker];
    }
    const all = await this.providers.usable(claim.channel);
    return all.filter((provider) => carries(provider, 'us'));
  }
}
