import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { crashPoint } from '../shared/crash-point.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import type { ChainKey, KeyChain, KeysNow } from './chain-key.js';
import { dueSteps, earliestTakeover, lastTokenEnds, type KeyStep } from './due-steps.js';
import { hasCapacity, keySetFull } from './key-set-capacity.js';
import { KeySettings } from './key-settings.js';
import { MakeKeys } from './make-keys.js';
import { SigningKeysStore } from './signing-keys.store.js';

/** From one emergency of a chain to the next. */
const EMERGENCY_PAUSE_MS = 60_000;

/** A key that leads up, of a chain that nothing signs by yet. */
interface WaitingKey {
  readonly chain: KeyChain;
  readonly id: string;
  readonly activatesAt: Date;
}

/** A chain whose keys stayed as they were. */
export interface SkippedChain {
  readonly chain: KeyChain;
  /** It had an emergency within the minute. Undefined: the key set has no room for another of its keys. */
  readonly retryAfterSeconds?: number;
}

/** What an emergency of all chains did. */
export interface ReplacedAtOnce {
  /** The keys that sign now. */
  readonly signing: ReadonlyMap<KeyChain, string>;
  readonly waiting: readonly WaitingKey[];
  readonly skipped: readonly SkippedChain[];
}

/** More steps than can ever be due at once: three for each chain. */
const MAX_STEPS = 100;

/**
 * Moves keys from state to state, by the clock and on demand. Every step is one transaction under one lock that reads
 * the current keys again, so any number of workers may run it at once and any of them may die in between: there is
 * one current key at any moment, and at most one next.
 */
@Injectable()
export class RotateKeys {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: SigningKeysStore,
    private readonly makeKeys: MakeKeys,
    private readonly events: EventsStore,
    private readonly settings: KeySettings,
  ) {}

  /** Takes every step that is due. @returns how many those were */
  async run(): Promise<number> {
    for (let taken = 0; taken < MAX_STEPS; taken += 1) {
      // nothing is due most of the time, and that takes no lock
      if (this.due(await this.keys.now()).length === 0) return taken;
      const kind = await this.unitOfWork.run(async (tx) => await this.takeOne(tx));
      if (kind !== undefined) crashPoint(`keys-after-${kind}`);
    }
    return MAX_STEPS;
  }

  /**
   * Rotates the chain as soon as its lead time allows. Idempotent: the key that is
   * already published is brought forward.
   *
   * @throws ApiError failed-precondition when the chain has no key at all
   */
  async ask(tx: Tx, chain: KeyChain, actorId: string): Promise<string> {
    const { seen, next } = await this.inspect(tx, chain);
    const earliest = earliestTakeover(seen, this.settings.leaseMs);
    if (next === undefined) return await this.makeKeys.make(tx, { chain, at: earliest, actorId });
    const sincePublished = seen.now.getTime() - next.createdAt.getTime();
    const wanted = new Date(Math.max(seen.now.getTime(), earliest.getTime() - sincePublished));
    if (next.activatesAt === null || wanted < next.activatesAt) {
      await this.recordEvent(tx, next, 'moved', await this.keys.moveTakeover(tx, next, wanted), actorId);
    }
    return next.id;
  }

  /**
   * Replaces the current key at once by one that nobody has seen yet. For when a key may have been copied: a key that
   * already leads up was stored beside it, so that one goes too.
   *
   * @throws ApiError resource-exhausted within a minute of the last emergency of the chain; failed-precondition where
   * there is no room for another key: the one in use is kept for what it signed
   */
  async replaceAtOnce(tx: Tx, chain: KeyChain, actorId: string): Promise<string> {
    const { seen, current, next } = await this.inspect(tx, chain);
    requireMinuteSince(current, seen.now);
    if (next !== undefined)
      await this.recordEvent(tx, next, 'removed', await this.keys.end(tx, next, 'removed'), actorId);
    if (current !== undefined) {
      await this.stop(tx, current, lastTokenEnds(seen, this.settings.leaseMs), actorId);
    }
    return await this.makeKeys.make(tx, { chain, byEmergency: true, actorId });
  }

  /** `ask` for every chain. @returns the keys that are to sign, by their chain */
  async askAll(tx: Tx, actorId: string): Promise<ReadonlyMap<KeyChain, string>> {
    const ids = new Map<KeyChain, string>();
    for (const chain of goingChains(await this.lockedNow(tx)))
      ids.set(chain, await this.ask(tx, chain, actorId));
    return ids;
  }

  /**
   * `replaceAtOnce` for every chain where that can be done: the others, which are named, keep what they have and hold up
   * nothing. A chain that nothing signs by yet has another key lead up, for the time that was announced.
   *
   * @throws ApiError where nothing can be done: failed-precondition naming the chains that have no room, resource-exhausted
   * where every chain had an emergency within the minute
   */
  async replaceAllAtOnce(tx: Tx, actorId: string): Promise<ReplacedAtOnce> {
    const signing = new Map<KeyChain, string>();
    const waiting: WaitingKey[] = [];
    const skipped: SkippedChain[] = [];
    for (const chain of goingChains(await this.lockedNow(tx))) {
      const { seen, current, next } = await this.inspect(tx, chain);
      const left = pauseLeftMs(current ?? next, seen.now);
      if (left > 0) skipped.push({ chain, retryAfterSeconds: Math.ceil(left / 1000) });
      else if (next === undefined && !hasCapacity(seen.keys, chain)) skipped.push({ chain });
      else if (next !== undefined && current === undefined) {
        waiting.push(await this.replaceNext(tx, next, seen, actorId));
      } else signing.set(chain, await this.replaceAtOnce(tx, chain, actorId));
    }
    if (signing.size === 0 && waiting.length === 0 && skipped.length > 0) throw nothingReplaced(skipped);
    return { signing, waiting, skipped };
  }

  private async replaceNext(tx: Tx, next: ChainKey, seen: KeysNow, actorId: string): Promise<WaitingKey> {
    await this.recordEvent(tx, next, 'removed', await this.keys.end(tx, next, 'removed'), actorId);
    const announced = next.activatesAt ?? earliestTakeover(seen, this.settings.leaseMs);
    // nobody knows the new key yet, however long the old one was published
    const activatesAt = new Date(seen.now.getTime() + announced.getTime() - next.createdAt.getTime());
    const { chain } = next;
    const id = await this.makeKeys.make(tx, { chain, at: activatesAt, byEmergency: true, actorId });
    return { chain, id, activatesAt };
  }

  private async lockedNow(tx: Tx): Promise<KeysNow> {
    await this.keys.lock(tx);
    return await this.keys.now(tx);
  }

  /**
   * Has a key that was published for its lead time sign from now on.
   * @throws ApiError not-found; failed-precondition before that, and for a key that has signed already
   */
  async activate(tx: Tx, id: string, actorId: string): Promise<ResourceDetails> {
    await this.keys.lock(tx);
    const key = await this.keys.find(tx, id);
    if (key === undefined) throw keyNotFound();
    if (key.state === 'current') return key.details;
    if (key.state !== 'next') {
      throw new ApiError(
        'failed-precondition',
        'A key that has signed once does not sign again',
        'COMMAND-kR7s2',
      );
    }
    const { seen, current } = await this.inspect(tx, key.chain);
    const leadMs = earliestTakeover(seen, this.settings.leaseMs).getTime() - seen.now.getTime();
    if (seen.now.getTime() - key.createdAt.getTime() < leadMs) {
      throw new ApiError(
        'failed-precondition',
        'The key was not published for its lead time yet',
        'COMMAND-kR7s3',
      );
    }
    return await this.promote(
      tx,
      { next: key, current, retiresAt: lastTokenEnds(seen, this.settings.leaseMs) },
      actorId,
    );
  }

  /**
   * Takes a key away before its time: what it signed is worth nothing from the moment this is committed.
   * @throws ApiError failed-precondition for the current key
   */
  async remove(tx: Tx, id: string, actorId: string): Promise<ResourceDetails | undefined> {
    await this.keys.lock(tx);
    const key = await this.keys.find(tx, id);
    if (key === undefined) return undefined;
    if (key.state === 'current') {
      throw new ApiError('failed-precondition', 'The key that signs cannot be removed', 'COMMAND-Chai1');
    }
    const details = await this.keys.end(tx, key, 'removed');
    if (details === undefined) return key.details;
    return await this.recordEvent(tx, key, 'removed', details, actorId);
  }

  private due(seen: KeysNow): KeyStep[] {
    return dueSteps(seen, this.settings.leaseMs);
  }

  private async takeOne(tx: Tx): Promise<KeyStep['kind'] | undefined> {
    await this.keys.lock(tx);
    const [step] = this.due(await this.keys.now(tx));
    if (step === undefined) return undefined;
    switch (step.kind) {
      case 'publish':
        await this.makeKeys.make(tx, { chain: step.chain, at: step.activatesAt });
        break;
      case 'promote':
        await this.promote(tx, step);
        break;
      case 'retire':
        await this.recordEvent(tx, step.key, 'retired', await this.keys.end(tx, step.key, 'retired'));
        break;
    }
    return step.kind;
  }

  private async promote(
    tx: Tx,
    { next, current, retiresAt }: { next: ChainKey; current: ChainKey | undefined; retiresAt: Date },
    actorId?: string,
  ): Promise<ResourceDetails> {
    if (current !== undefined) await this.stop(tx, current, retiresAt, actorId);
    return await this.recordEvent(tx, next, 'activated', await this.keys.startSigning(tx, next), actorId);
  }

  private async stop(tx: Tx, current: ChainKey, retiresAt: Date, actorId?: string): Promise<void> {
    await this.recordEvent(
      tx,
      current,
      'deactivated',
      await this.keys.stopSigning(tx, current, retiresAt),
      actorId,
    );
  }

  private async inspect(
    tx: Tx,
    chain: KeyChain,
  ): Promise<{ seen: KeysNow; current: ChainKey | undefined; next: ChainKey | undefined }> {
    await this.keys.lock(tx);
    const seen = await this.keys.now(tx);
    const current = currentOf(seen, chain);
    const next = seen.keys.find((key) => key.chain === chain && key.state === 'next');
    if (current === undefined && next === undefined) {
      throw new ApiError('failed-precondition', `There are no keys for ${chain}`, 'COMMAND-kR7s4');
    }
    return { seen, current, next };
  }

  private async recordEvent(
    tx: Tx,
    { id, chain }: ChainKey,
    what: 'activated' | 'deactivated' | 'moved' | 'retired' | 'removed',
    details: ResourceDetails | undefined,
    actorId?: string,
  ): Promise<ResourceDetails> {
    // under the lock nobody else changes a key
    if (details === undefined) throw new Error(`key ${id} is not in the state it was found in`);
    const aggregateType = chain === 'opaque' ? 'token_key' : 'signing_key';
    await this.events.append(tx, {
      orgId: null,
      aggregateType,
      aggregateId: id,
      sequence: details.sequence,
      type: `${aggregateType}.${what}`,
      actorId: actorId ?? null,
      data: { algorithm: chain },
    });
    return details;
  }
}

/** Chains that keep rotating: those of algorithms no longer used have no current and no next key. */
function goingChains({ keys }: KeysNow): ReadonlySet<KeyChain> {
  const going = keys.filter(({ state }) => state === 'current' || state === 'next');
  return new Set(going.map(({ chain }) => chain));
}

function currentOf({ keys }: KeysNow, chain: KeyChain): ChainKey | undefined {
  return keys.find((key) => key.chain === chain && key.state === 'current');
}

function pauseLeftMs(key: ChainKey | undefined, now: Date): number {
  if (key?.byEmergency !== true) return 0;
  return key.createdAt.getTime() + EMERGENCY_PAUSE_MS - now.getTime();
}

/** Every emergency leaves a key in the set for as long as tokens live, and makes every client fetch it again. */
function requireMinuteSince(current: ChainKey | undefined, now: Date): void {
  const left = pauseLeftMs(current, now);
  if (left > 0) throw replacedJustNow(Math.ceil(left / 1000));
}

export function keyNotFound(): ApiError {
  return new ApiError('not-found', 'Key could not be found', 'COMMAND-teiG3');
}

function replacedJustNow(retryAfterSeconds: number): ApiError {
  const text = 'The key was replaced at once less than a minute ago';
  return new ApiError('resource-exhausted', text, 'COMMAND-kR7s5', retryAfterSeconds);
}

function nothingReplaced(skipped: readonly SkippedChain[]): ApiError {
  const full = skipped.filter(({ retryAfterSeconds }) => retryAfterSeconds === undefined);
  if (full.length > 0) return keySetFull(full.map(({ chain }) => chain));
  // by then all of them can be replaced
  return replacedJustNow(Math.max(...skipped.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds)));
}
