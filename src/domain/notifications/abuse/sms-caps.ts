import { Injectable } from '@nestjs/common';
import { Sealer } from '../../secrets/sealer.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { destinationOf, refusedDestination, type SmsDestination } from './sms-destination.js';
import { CAPPED_BY, SmsLimitSettings, type Cap, type CappedBy } from './sms-limit-settings.js';
import type { SmsQuota } from './sms-limits.store.js';
import type { SmsOrigin, SmsRule } from './sms-meter.js';
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

/** One cap as it applies to one message. */
export interface AppliedCap extends SmsQuota {
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
 * A legitimate service may have many users behind one IP address or with one operator's numbers, and differs from somebody who pumps
 * in that its managers send the messages: the caps per prefix and address are only for messages that users request themselves.
 */
const OWN_CAPS: readonly CappedBy[] = CAPPED_BY;
const OTHERS_CAPS: readonly CappedBy[] = ['user', 'number', 'organization'];
const OWNERS_CAPS: readonly CappedBy[] = ['user', 'number', 'address', 'organization'];

/** Which caps one message counts against, and by how much, as the configuration has them. */
@Injectable()
export class SmsCaps {
  constructor(
    private readonly settings: SmsLimitSettings,
    private readonly sealer: Sealer,
  ) {}

  destinationOf(number: E164): SmsDestination {
    return destinationOf(number, this.settings.prefixTail);
  }

  /** Why nothing is sent there at all; undefined where something is. */
  closedTo(destination: SmsDestination, origin: SmsOrigin): SmsRule | undefined {
    return refusedDestination(destination, this.settings, origin);
  }

  costOf({ callingCode }: SmsDestination): number {
    const { costs } = this.settings;
    return costs.get(callingCode) ?? costs.get('default') ?? 0;
  }

  appliedTo(sms: WantedSms, destination: SmsDestination): AppliedCap[] {
    const { orgId, userId, number, source, origin, again, toOwner = false } = sms;
    const { caps, cooldownSeconds, spendPerDay } = this.settings;
    const subjects: Readonly<Record<CappedBy, string | undefined>> = {
      user: userId,
      number: this.hidden(toOwner ? `${orgId} ${number}` : number),
      prefix: destination.prefix,
      address: source === undefined ? undefined : this.hidden(source),
      organization: orgId,
    };
    const applied: AppliedCap[] = [];
    if (again && cooldownSeconds > 0) {
      applied.push(quota('cooldown', { most: 1, withinSeconds: cooldownSeconds }, userId, 1));
    }
    for (const by of toOwner ? OWNERS_CAPS : origin === 'self' ? OWN_CAPS : OTHERS_CAPS) {
      const subject = subjects[by];
      if (subject === undefined) continue;
      applied.push(...caps[by].map((cap) => quota(by, cap, subject, 1)));
    }
    const cost = this.costOf(destination);
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

function quota(rule: SmsRule, cap: Cap, subject: string, amount: number): AppliedCap {
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

/** The same, and less of it where all users of an organization share it. Caps of fewer than five messages have nothing to keep. */
function keepingSome(full: AppliedCap): AppliedCap[] {
  const { id, rule, cap, amount } = full;
  if ((rule !== 'organization' && rule !== 'spend') || amount === 0) return [full];
  const kept = Math.floor(cap.most / KEPT_FOR_OWNERS);
  if (kept === 0) return [full];
  return [full, { ...full, id: `${id}/unverified`, measuredBy: id, cap: { ...cap, most: cap.most - kept } }];
}
