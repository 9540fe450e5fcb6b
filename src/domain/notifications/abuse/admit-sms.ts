import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { Sealer } from '../../secrets/sealer.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { Counters } from '../../statistics/counters.js';
import { destinationOf, refusedDestination, type SmsDestination } from './sms-destination.js';
import { SmsLimitSettings, type Cap, type CappedBy } from './sms-limit-settings.js';
import {
  LOW_CONVERSION,
  SmsLimitsStore,
  type LiveSmsBlock,
  type SmsCount,
  type SmsQuota,
  type SmsQuotaState,
} from './sms-limits.store.js';
import { SmsMeter, type SmsOrigin, type SmsRule } from './sms-meter.js';
import type { E164 } from './sms-prefixes.js';

/** A message that is about to be queued. */
export interface WantedSms {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly number: E164;
  readonly origin: SmsOrigin;
  /** Asked for again: then there is a cooldown. */
  readonly again: boolean;
  /** Where users asked from, as `addressGroup` says it. */
  readonly source?: string | undefined;
  /**
   * To the verified number of somebody who has just shown something else. What strangers did with that number, or with its
   * neighbours, must not keep its owner out (security S376): only what the user and their organization used up counts. Where a
   * manager said that it is verified, the caps of the organization hold, as for whatever managers have sent.
   */
  readonly toOwner?: boolean;
}

/** Why a message must not be queued. */
export interface SmsRefusal {
  readonly rule: SmsRule;
  /** Undefined when waiting does not help. */
  readonly retryAfterSeconds: number | undefined;
  /** The cap that was reached. */
  readonly cap?: Cap;
}

/** One cap as it applies to one message. */
interface Applied extends SmsQuota {
  readonly rule: SmsRule;
  readonly cap: Cap;
  readonly amount: number;
  /** The quota whose count decides, where it is another's. */
  readonly measuredBy?: string;
}

const DAY_SECONDS = 86_400;
/** How finely caps are counted: nobody waits longer than by a part more than need be, and no cap is ever passed. */
const PARTS = 24;
/**
 * One in so many of what an organization may send and spend is kept for whoever signs in with a number that is theirs: with the
 * rest used up by people who register and have codes sent to numbers that nobody has verified, they still get in (security S471).
 */
const KEPT_FOR_OWNERS = 5;
/**
 * Who owns a service may have many users behind one address or with one operator's numbers, and is told apart from
 * somebody who pumps by being a manager: those caps are for what users ask for themselves.
 */
const OWN_CAPS: readonly CappedBy[] = ['user', 'number', 'prefix', 'address', 'organization'];
const OTHERS_CAPS: readonly CappedBy[] = ['user', 'number', 'organization'];
const OWNERS_CAPS: readonly CappedBy[] = ['user', 'number', 'address', 'organization'];

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
    private readonly sealer: Sealer,
    private readonly settings: SmsLimitSettings,
    private readonly meter: SmsMeter,
    private readonly log: Log,
    private readonly counters: Counters,
  ) {}

  /** Turns a flood away before it costs a transaction and a lock; who gets past is asked again by `admit`. */
  async peek(wanted: WantedSms): Promise<SmsRefusal | undefined> {
    const destination = this.destination(wanted);
    const applied = this.applied(wanted, destination);
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
      const destination = this.destination(sms);
      return { sms, destination, applied: this.applied(sms, destination) };
    });
    const prefixes = [...new Set(each.map(({ destination }) => destination.prefix))];
    const blocks = await this.limits.blocks(prefixes, tx);
    const states = await this.limits.lockQuotas(tx, distinct(each.flatMap(({ applied }) => applied)));
    const added = new Map<string, number>();
    const reached: (Applied & { readonly sms: WantedSms; readonly prefix: string })[] = [];
    const refusals = each.map(({ sms, destination, applied }) => {
      const refusal = this.refusal(sms, destination, blocks) ?? exceeded(applied, states, added);
      if (refusal !== undefined) return refusal;
      for (const one of applied) {
        added.set(one.id, (added.get(one.id) ?? 0) + one.amount);
        // another one like this would be too many
        if (states.get(one.id)?.told !== true && exceeded([one], states, added) !== undefined) {
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
    { rule, cap }: Applied,
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
        const cost = this.costOf(this.destination(sms).callingCode);
        this.counters.addAfterCommit(tx, orgId, 'smsCost', cost);
      }
      if (refusal === undefined) this.meter.enqueued(origin, 1);
      else this.meter.refused(refusal.rule, origin);
    }
  }

  private costOf(callingCode: string): number {
    const { costs } = this.settings;
    return costs.get(callingCode) ?? costs.get('default') ?? 0;
  }

  prefixOf(number: E164): string {
    return destinationOf(number, this.settings.prefixTail).prefix;
  }

  private destination({ number }: WantedSms): SmsDestination {
    return destinationOf(number, this.settings.prefixTail);
  }

  private refusal(
    { origin, toOwner = false }: WantedSms,
    destination: SmsDestination,
    blocks: ReadonlyMap<string, LiveSmsBlock>,
  ): SmsRefusal | undefined {
    const rule = refusedDestination(destination, this.settings, origin);
    if (rule !== undefined) return { rule, retryAfterSeconds: undefined };
    const block = blocks.get(destination.prefix);
    if (block === undefined || (toOwner && block.reason === LOW_CONVERSION)) return undefined;
    return { rule: 'blocked', retryAfterSeconds: block.secondsLeft };
  }

  private applied(sms: WantedSms, { prefix, callingCode }: SmsDestination): Applied[] {
    const { orgId, userId, number, source, origin, again, toOwner = false } = sms;
    const { caps, cooldownSeconds, spendPerDay } = this.settings;
    const subjects: Readonly<Record<CappedBy, string | undefined>> = {
      user: userId,
      number: this.hidden(toOwner ? `${orgId} ${number}` : number),
      prefix,
      address: source === undefined ? undefined : this.hidden(source),
      organization: orgId,
    };
    const applied: Applied[] = [];
    if (again && cooldownSeconds > 0) {
      applied.push(quota('cooldown', { most: 1, withinSeconds: cooldownSeconds }, userId, 1));
    }
    for (const by of toOwner ? OWNERS_CAPS : origin === 'self' ? OWN_CAPS : OTHERS_CAPS) {
      const subject = subjects[by];
      if (subject === undefined) continue;
      applied.push(...caps[by].map((cap) => quota(by, cap, subject, 1)));
    }
    const cost = this.costOf(callingCode);
    if (spendPerDay > 0) {
      applied.push(quota('spend', { most: spendPerDay, withinSeconds: DAY_SECONDS }, orgId, cost));
    }
    return origin === 'self' && !toOwner ? applied.flatMap(keepingSome) : applied;
  }

  /** Numbers and addresses are somebody's: a count needs to know them again, not to name them. */
  private hidden(subject: string): string {
    return this.sealer.mac('sms-quota', subject).subarray(0, 16).toString('base64url');
  }
}

function quota(rule: SmsRule, cap: Cap, subject: string, amount: number): Applied {
  const { most, withinSeconds } = cap;
  const partSeconds = most === 1 ? 0 : withinSeconds / PARTS;
  return {
    id: `${rule}/${withinSeconds}/${subject}`,
    windowSeconds: withinSeconds,
    partSeconds,
    rule,
    cap,
    amount,
  };
}

/** The same, and less of it where all users of an organization share it. Caps of fewer messages have nothing to keep. */
function keepingSome(full: Applied): Applied[] {
  const { id, rule, cap, amount } = full;
  if ((rule !== 'organization' && rule !== 'spend') || amount === 0) return [full];
  const kept = Math.floor(cap.most / amount / KEPT_FOR_OWNERS) * amount;
  if (kept === 0) return [full];
  return [full, { ...full, id: `${id}/unverified`, measuredBy: id, cap: { ...cap, most: cap.most - kept } }];
}

function distinct(applied: readonly Applied[]): SmsQuota[] {
  return [...new Map(applied.map((one) => [one.id, one])).values()];
}

/** The cap that has the longest to wait for, of those that one more message would exceed. */
function exceeded(
  applied: readonly Applied[],
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
