import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { Log } from '../../shared/log.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { Counters } from '../../statistics/counters.js';
import { SmsCaps, type AppliedCap, type WantedSms } from './sms-caps.js';
import type { SmsDestination } from './sms-destination.js';
import type { Cap } from './sms-limit-settings.js';
import {
  LOW_CONVERSION,
  SmsLimitsStore,
  type LiveSmsBlock,
  type SmsCount,
  type SmsQuota,
  type SmsQuotaState,
} from './sms-limits.store.js';
import { SmsMeter, type SmsRule } from './sms-meter.js';
import type { E164 } from './sms-prefixes.js';

/** Why a message must not be queued. */
export interface SmsRefusal {
  readonly rule: SmsRule;
  /** Undefined when waiting does not help. */
  readonly retryAfterSeconds: number | undefined;
  /** The cap that was reached. */
  readonly cap?: Cap;
}

/**
 * Whether a message may be queued, asked in the transaction that enqueues it: what is counted and what is queued commit
 * together, and parallel requests wait for each other at the counts (security S136–S140, F47). A refused message counts
 * for nothing.
 */
@Injectable()
export class AdmitSms {
  constructor(
    private readonly limits: SmsLimitsStore,
    private readonly events: EventsStore,
    private readonly caps: SmsCaps,
    private readonly meter: SmsMeter,
    private readonly log: Log,
    private readonly counters: Counters,
  ) {}

  /** Turns a flood away before it costs a transaction and a lock; who gets past is asked again by `admit`. */
  async peek(wanted: WantedSms): Promise<SmsRefusal | undefined> {
    const destination = this.caps.destinationOf(wanted.number);
    const applied = this.caps.appliedTo(wanted, destination);
    const blocks = await this.limits.blocks([destination.prefix]);
    const states = await this.limits.peekQuotas(applied);
    const refusal = this.refusal(wanted, destination, blocks) ?? exceeded(applied, states, new Map());
    if (refusal !== undefined) {
      this.meter.refused(refusal.rule, wanted.origin);
      this.counters.add(wanted.orgId, 'smsRefused');
    }
    return refusal;
  }

  /**
   * Counts those that may be queued, in the given order.
   * @returns for each of them why it must not be, or undefined when it may
   */
  async admit(tx: Tx, wanted: readonly WantedSms[]): Promise<readonly (SmsRefusal | undefined)[]> {
    if (wanted.length === 0) return [];
    const each = wanted.map((sms) => {
      const destination = this.caps.destinationOf(sms.number);
      return { sms, destination, applied: this.caps.appliedTo(sms, destination) };
    });
    const prefixes = [...new Set(each.map(({ destination }) => destination.prefix))];
    const blocks = await this.limits.blocks(prefixes, tx);
    const states = await this.limits.lockQuotas(tx, distinct(each.flatMap(({ applied }) => applied)));
    const added = new Map<string, number>();
    const reached: (AppliedCap & { readonly sms: WantedSms; readonly prefix: string })[] = [];
    const refusals = each.map(({ sms, destination, applied }) => {
      const refusal = this.refusal(sms, destination, blocks) ?? exceeded(applied, states, added);
      if (refusal !== undefined) return refusal;
      for (const one of applied) {
        added.set(one.id, (added.get(one.id) ?? 0) + one.amount);
        // another one like this would be too many
        if (states.get(one.id)?.exhaustionReported !== true && exceeded([one], states, added) !== undefined) {
          reached.push({ ...one, sms, prefix: destination.prefix });
        }
      }
      return undefined;
    });
    await this.limits.addToQuotas(tx, added, new Set(reached.map(({ id }) => id)));
    for (const one of reached) await this.recordLimitReached(tx, one, one.sms, one.prefix);
    this.count(tx, wanted, refusals);
    return refusals;
  }

  /** An event when a cap is used up, and not again for as long as it may stay so (security S137). */
  private async recordLimitReached(
    tx: Tx,
    { rule, cap }: AppliedCap,
    sms: WantedSms,
    prefix: string,
  ): Promise<void> {
    if (rule === 'cooldown') return;
    const { orgId, userId, origin } = sms;
    await this.events.append(tx, {
      orgId,
      aggregateType: 'sms_limit',
      aggregateId: rule,
      sequence: 1,
      type: 'sms.limit.reached',
      actorId: origin === 'self' ? userId : null,
      data: { rule, most: cap.most, withinSeconds: cap.withinSeconds, origin, prefix },
    });
    this.log.warn('an SMS limit is used up', { rule, orgId, most: cap.most, prefix });
  }

  private count(tx: Tx, wanted: readonly WantedSms[], refusals: readonly (SmsRefusal | undefined)[]): void {
    for (const [index, sms] of wanted.entries()) {
      const { origin, orgId } = sms;
      const refusal = refusals[index];
      this.counters.addAfterCommit(tx, orgId, refusal === undefined ? 'smsAdmitted' : 'smsRefused');
      if (refusal === undefined) {
        const cost = this.caps.costOf(this.caps.destinationOf(sms.number));
        this.counters.addAfterCommit(tx, orgId, 'smsCost', cost);
      }
      if (refusal === undefined) this.meter.enqueued(origin, 1);
      else this.meter.refused(refusal.rule, origin);
    }
  }

  prefixOf(number: E164): string {
    return this.caps.destinationOf(number).prefix;
  }

  private refusal(
    { origin, toOwner = false }: WantedSms,
    destination: SmsDestination,
    blocks: ReadonlyMap<string, LiveSmsBlock>,
  ): SmsRefusal | undefined {
    const rule = this.caps.closedTo(destination, origin);
    if (rule !== undefined) return { rule, retryAfterSeconds: undefined };
    const block = blocks.get(destination.prefix);
    if (block === undefined || (toOwner && block.reason === LOW_CONVERSION)) return undefined;
    return { rule: 'blocked', retryAfterSeconds: block.secondsLeft };
  }
}

function distinct(applied: readonly AppliedCap[]): SmsQuota[] {
  return [...new Map(applied.map((one) => [one.id, one])).values()];
}

/** The cap that has the longest to wait for, of those that one more message would exceed. */
function exceeded(
  applied: readonly AppliedCap[],
  states: ReadonlyMap<string, SmsQuotaState>,
  added: ReadonlyMap<string, number>,
): SmsRefusal | undefined {
  let worst: SmsRefusal | undefined;
  for (const { id, rule, cap, amount, windowSeconds, measuredBy = id } of applied) {
    const counts = states.get(measuredBy)?.counts ?? [];
    const used = counts.reduce((sum, count) => sum + count.amount, added.get(measuredBy) ?? 0);
    if (used + amount <= cap.most) continue;
    const wait = waitFor(counts, used + amount - cap.most) ?? windowSeconds;
    const retryAfterSeconds = Math.max(1, Math.ceil(wait));
    if (worst?.retryAfterSeconds === undefined || retryAfterSeconds > worst.retryAfterSeconds) {
      worst = { rule, retryAfterSeconds, cap };
    }
  }
  return worst;
}

/** Until so much of it counts no more; undefined when there is not so much. */
function waitFor(counts: readonly SmsCount[], surplus: number): number | undefined {
  let left = surplus;
  return counts.find(({ amount }) => (left -= amount) <= 0)?.secondsLeft;
}
