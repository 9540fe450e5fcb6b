import type { ChainKey, KeyChain, KeysNow } from './chain-key.js';
import { leaseMsOf, maxAgeSeconds, type KeySchedule } from './key-schedule.js';
import { hasCapacity, rotationSecondsOf } from './key-set-capacity.js';
import { LONGEST_TOKEN_SECONDS } from './key-settings.js';

/** Clocks of those who verify may be behind ours. */
const SKEW_MS = 60_000;

export type KeyStep =
  | { readonly kind: 'publish'; readonly chain: KeyChain; readonly activatesAt: Date }
  | {
      readonly kind: 'promote';
      readonly next: ChainKey;
      /** Undefined if the algorithm was chosen just now: no key of it signs yet. */
      readonly current: ChainKey | undefined;
      readonly retiresAt: Date;
    }
  | { readonly kind: 'retire'; readonly key: ChainKey };

/** How late a chain is, for the alarm. */
interface ChainAge {
  readonly chain: KeyChain;
  /** Since the current key signs. */
  readonly ageSeconds: number;
  /** Since a step should have been taken. */
  readonly overdueSeconds: number;
}

/**
 * What is due now. It follows from the keys alone: a step that was taken is due no longer, however often and by how
 * many workers this is asked, and one that a crash cut short is due again (security F33, F34, F36).
 */
export function dueSteps(seen: KeysNow, leaseMs: number): KeyStep[] {
  const now = seen.now.getTime();
  const steps: KeyStep[] = [];
  for (const { chain, current, next } of chainsOf(seen)) {
    if (next !== undefined) {
      if (takesOverAt(next) <= now) {
        steps.push({ kind: 'promote', next, current, retiresAt: lastTokenEnds(seen, leaseMs) });
      }
    } else if (publishesAt(seen, current, leaseMs) <= now && hasCapacity(seen.keys, chain)) {
      steps.push({ kind: 'publish', chain, activatesAt: plannedTakeover(seen, current, leaseMs) });
    }
  }
  for (const next of firstOfTheirChain(seen)) {
    if (takesOverAt(next) <= now) {
      steps.push({ kind: 'promote', next, current: undefined, retiresAt: lastTokenEnds(seen, leaseMs) });
    }
  }
  for (const key of seen.keys) {
    // one without a date was left by an older release: it stays until somebody removes it
    if (key.state === 'previous' && key.retiresAt !== null && key.retiresAt.getTime() <= now) {
      steps.push({ kind: 'retire', key });
    }
  }
  return steps;
}

/** Chains whose next key is due and has no place in the set. */
export function stuckChains(seen: KeysNow, leaseMs: number): KeyChain[] {
  const now = seen.now.getTime();
  return chainsOf(seen)
    .filter(
      ({ chain, current, next }) =>
        next === undefined && publishesAt(seen, current, leaseMs) <= now && !hasCapacity(seen.keys, chain),
    )
    .map(({ chain }) => chain);
}

/** When a key that is made now may sign: every replica has published it for the lead time by then. */
export function earliestTakeover({ now, schedule }: KeysNow, leaseMs: number): Date {
  return new Date(now.getTime() + aheadMs(schedule, leaseMs));
}

/** The same of an algorithm in whose place nothing signs meanwhile: nobody keeps the key set for longer than it says. */
export function earliestBeside({ now, schedule }: KeysNow, leaseMs: number): Date {
  return new Date(now.getTime() + maxAgeSeconds(schedule) * 1000 + 2 * leaseMsOf(schedule, { leaseMs }));
}

/** Of a key that is not made yet: after the rotation period, and never before its lead time is over. */
function plannedTakeover(seen: KeysNow, current: ChainKey, leaseMs: number): Date {
  return new Date(Math.max(periodEnds(seen, current), earliestTakeover(seen, leaseMs).getTime()));
}

/** A lease passes until the last replica publishes a key; another one is for making and storing it. */
function aheadMs(schedule: KeySchedule, leaseMs: number): number {
  return schedule.leadSeconds * 1000 + 2 * leaseMsOf(schedule, { leaseMs });
}

/**
 * A key that stops signing now has signed its last token when the leases of all replicas have run out; that one may
 * live as long as any token can.
 */
export function lastTokenEnds({ now, schedule }: KeysNow, leaseMs: number): Date {
  const lastSigned = now.getTime() + leaseMsOf(schedule, { leaseMs });
  return new Date(lastSigned + LONGEST_TOKEN_SECONDS * 1000 + SKEW_MS);
}

export function chainAges(seen: KeysNow, leaseMs: number): ChainAge[] {
  const now = seen.now.getTime();
  return chainsOf(seen).map(({ chain, current, next }) => {
    const due = next === undefined ? publishesAt(seen, current, leaseMs) : takesOverAt(next);
    return {
      chain,
      ageSeconds: Math.max(0, (now - since(current)) / 1000),
      overdueSeconds: Math.max(0, (now - due) / 1000),
    };
  });
}

/** When a chain's next key is published, and when it signs. A time that has passed is overdue: no worker has seen to it. */
export interface Takeover {
  readonly chain: KeyChain;
  /** The key, once it is published. */
  readonly id: string | undefined;
  readonly publishedAt: Date;
  readonly signsAt: Date;
}

/**
 * The next takeover of each chain that has one ahead, soonest first: what `dueSteps` will do. Keys that only somebody rotates
 * by hand have none, nor has a chain without a place in the key set.
 */
export function takeoversAhead(seen: KeysNow, leaseMs: number): Takeover[] {
  const published = [...chainsOf(seen).map(({ next }) => next), ...firstOfTheirChain(seen)];
  const takeovers: Takeover[] = published.flatMap((next) =>
    next?.activatesAt == null
      ? []
      : [{ chain: next.chain, id: next.id, publishedAt: next.createdAt, signsAt: next.activatesAt }],
  );
  for (const { chain, current, next } of chainsOf(seen)) {
    if (next !== undefined || seen.schedule.rotationSeconds === 0 || !hasCapacity(seen.keys, chain)) continue;
    const publishedAt = new Date(publishesAt(seen, current, leaseMs));
    takeovers.push({ chain, id: undefined, publishedAt, signsAt: plannedTakeover(seen, current, leaseMs) });
  }
  return takeovers.toSorted((one, other) => one.signsAt.getTime() - other.signsAt.getTime());
}

interface Chain {
  readonly chain: KeyChain;
  readonly current: ChainKey;
  readonly next: ChainKey | undefined;
}

function chainsOf({ keys }: KeysNow): Chain[] {
  return keys
    .filter(({ state }) => state === 'current')
    .map((current) => ({
      chain: current.chain,
      current,
      next: keys.find(({ chain, state }) => state === 'next' && chain === current.chain),
    }));
}

/** Of an algorithm that was chosen while another one signed. */
function firstOfTheirChain({ keys }: KeysNow): readonly ChainKey[] {
  return keys.filter(
    (next) =>
      next.state === 'next' && !keys.some(({ chain, state }) => state === 'current' && chain === next.chain),
  );
}

function since(current: ChainKey): number {
  return (current.currentSince ?? current.createdAt).getTime();
}

function periodEnds(seen: Pick<KeysNow, 'schedule' | 'keys'>, current: ChainKey): number {
  return since(current) + rotationSecondsOf(seen, current.chain) * 1000;
}

function takesOverAt(next: ChainKey): number {
  return next.activatesAt?.getTime() ?? Number.POSITIVE_INFINITY;
}

function publishesAt({ schedule, keys }: KeysNow, current: ChainKey, leaseMs: number): number {
  if (schedule.rotationSeconds === 0) return Number.POSITIVE_INFINITY;
  return periodEnds({ schedule, keys }, current) - aheadMs(schedule, leaseMs);
}
