import { Injectable } from '@nestjs/common';
import { hasCapacity } from './key-set-capacity.js';
import { KeySettings } from './key-settings.js';
import type { SigningAlgorithm } from './signing-key.js';
import { SigningKeysStore } from './signing-keys.store.js';

export interface PendingTakeover {
  readonly algorithm: SigningAlgorithm;
  /** What signs until then. */
  readonly signing: SigningAlgorithm;
  /** Undefined where no key was made yet: an API makes it, once the key set has room for it. */
  readonly at: Date | undefined;
  /** No key was made yet, and there is room for it. */
  readonly lacksKey: boolean;
  /** How long a new key is published before it signs. */
  readonly leadSeconds: number;
}

/** When the configured algorithm begins to sign, where another one was in use: `SIGNING_ALG` alone changes no token. */
@Injectable()
export class AlgorithmTakeover {
  constructor(
    private readonly keys: SigningKeysStore,
    private readonly settings: KeySettings,
  ) {}

  /** Undefined where it signs already, and on a database without keys, where it does so from the first token on. */
  async find(): Promise<PendingTakeover | undefined> {
    const { algorithm } = this.settings;
    const { keys, schedule } = await this.keys.now();
    const current = keys.flatMap(({ chain, state }) =>
      chain !== 'opaque' && state === 'current' ? [chain] : [],
    );
    // as `KeyRing` chooses
    const signing = current.includes('RS256') ? 'RS256' : current[0];
    if (signing === undefined || current.includes(algorithm)) return undefined;
    const next = keys.find(({ chain, state }) => chain === algorithm && state === 'next');
    return {
      algorithm,
      signing,
      at: next?.activatesAt ?? undefined,
      lacksKey: next === undefined && hasCapacity(keys, algorithm),
      leadSeconds: schedule.leadSeconds,
    };
  }
}
