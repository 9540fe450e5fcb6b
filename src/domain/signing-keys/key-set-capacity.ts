import { ApiError } from '../shared/errors.js';
import type { ChainKey, KeyChain, KeysNow } from './chain-key.js';
import { LONGEST_TOKEN_SECONDS } from './key-settings.js';

/**
 * Keys in the key set at most; of those that seal opaque tokens, which every replica opens, as many. A hundred RSA keys
 * make a set of 44 kB: some clients read no more than 50 KiB of one, and then know no key at all.
 */
export const MOST_KEYS = 100;

/** What is published together: signing keys of every algorithm; those of opaque tokens are a set of their own. */
function isOfSameSet(one: KeyChain, other: KeyChain): boolean {
  return (one === 'opaque') === (other === 'opaque');
}

/** Whether another key of the chain fits. No key that is there is ever dropped for it. */
export function hasCapacity(keys: readonly Pick<ChainKey, 'chain'>[], chain: KeyChain): boolean {
  return keys.filter((key) => isOfSameSet(key.chain, chain)).length < MOST_KEYS;
}

/** @throws ApiError failed-precondition naming the way out */
export function requireCapacity(keys: readonly Pick<ChainKey, 'chain'>[], chain: KeyChain): void {
  if (!hasCapacity(keys, chain)) throw keySetFull([chain]);
}

export function keySetFull(chains: readonly KeyChain[]): ApiError {
  return new ApiError(
    'failed-precondition',
    `There are ${MOST_KEYS} keys and no room for another (${chains.join(', ')}): remove one that signs no longer, or wait until one of them retires`,
    'COMMAND-kR7s6',
  );
}

/** The shortest time between two keys for which the set never fills, with as many chains in it. */
export function shortestRotationSeconds(chains: number): number {
  // beside those that are kept until their last token has ended: one that signs, one that leads up, one that was asked for
  const kept = Math.floor(MOST_KEYS / chains) - 3;
  return Math.ceil(LONGEST_TOKEN_SECONDS / kept);
}

/**
 * How often keys of the chain really change. A schedule that was saved while fewer algorithms signed may be too short for those
 * that do now, and would fill the set: they change as often as there is room for.
 */
export function rotationSecondsOf(
  { schedule, keys }: Pick<KeysNow, 'schedule' | 'keys'>,
  chain: KeyChain,
): number {
  if (schedule.rotationSeconds === 0) return 0;
  const going = keys.filter(({ state }) => state === 'current' || state === 'next');
  const chains = new Set(going.map((key) => key.chain).filter((one) => isOfSameSet(one, chain)));
  // for one alone a schedule was held against the set when it was saved
  if (chains.size <= 1) return schedule.rotationSeconds;
  return Math.max(schedule.rotationSeconds, shortestRotationSeconds(chains.size));
}

/** The same of the chain that is held up most: what is saved, unless the set has no room for it. */
export function rotationSecondsInForce(seen: Pick<KeysNow, 'schedule' | 'keys'>): number {
  return Math.max(
    seen.schedule.rotationSeconds,
    ...new Set(seen.keys.map(({ chain }) => rotationSecondsOf(seen, chain))),
  );
}
