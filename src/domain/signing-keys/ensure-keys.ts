import { Injectable } from '@nestjs/common';
import { Log } from '../shared/log.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { earliestBeside, earliestTakeover } from './due-steps.js';
import { hasCapacity, shortestRotationSeconds } from './key-set-capacity.js';
import { KeySettings, servedAlgorithms } from './key-settings.js';
import { MakeKeys } from './make-keys.js';
import type { SigningAlgorithm, SigningKey } from './signing-key.js';
import { SigningKeysStore } from './signing-keys.store.js';

/**
 * Makes the first signing keys and the first token key of an instance. Any number of replicas may start at once on
 * an empty database: they queue behind one lock and the second finds the work done. An algorithm that is chosen later
 * starts with a key that is published for the lead time, while the previous one keeps signing; if the key set has no room for it, that
 * one keeps signing until there is room (AnnounceTakeover). An algorithm served beside the chosen one, on an instance that did not serve it
 * before, signs as soon as every cache must have its key: clients that want it accept nothing else.
 */
@Injectable()
export class EnsureKeys {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: SigningKeysStore,
    private readonly makeKeys: MakeKeys,
    private readonly settings: KeySettings,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    await this.ensure();
    const { rotationSeconds } = (await this.keys.schedule()).schedule;
    const shortest = shortestRotationSeconds(servedAlgorithms(this.settings).length);
    if (rotationSeconds === 0 || rotationSeconds >= shortest) return;
    this.log.warn('rotationPeriod is too short for the key set: keys change as often as it has room for', {
      rotationPeriod: `${rotationSeconds}s`,
      shortest: `${shortest}s`,
    });
  }

  private async ensure(): Promise<void> {
    // the usual start finds all and takes no lock
    const [published, tokenKeys] = await Promise.all([this.keys.listPublished(), this.keys.listTokenKeys()]);
    if (this.missing(published).length === 0 && tokenKeys.length > 0) return;
    await this.unitOfWork.run(async (tx) => {
      await this.keys.lock(tx);
      await this.ensureSigningKeys(tx, await this.keys.listPublished(tx));
      if ((await this.keys.listTokenKeys(tx)).length === 0) await this.makeKeys.make(tx, { chain: 'opaque' });
    });
  }

  private async ensureSigningKeys(tx: Tx, published: readonly SigningKey[]): Promise<void> {
    const missing = this.missing(published);
    if (missing.length === 0) return;
    const somebodySigns = published.some(({ state }) => state === 'current');
    const left = published.map(({ algorithm }) => ({ chain: algorithm }));
    if (somebodySigns && missing.some((chain) => !hasCapacity(left, chain))) {
      // a failing start would be retried for ever; the keys that sign so far keep signing
      this.log.warn('the key set is full: no key was created for the chosen algorithm', {
        algorithms: missing.join(' '),
      });
      return;
    }
    if (!somebodySigns) {
      for (const chain of missing) await this.makeKeys.make(tx, { chain });
      return;
    }
    const seen = await this.keys.now(tx);
    for (const chain of missing) {
      const isOwn = chain === this.settings.algorithm;
      const at = (isOwn ? earliestTakeover : earliestBeside)(seen, this.settings.leaseMs);
      await this.makeKeys.make(tx, { chain, at });
      // when the chosen algorithm takes over is logged at each start, and until it has (AnnounceTakeover)
      if (!isOwn)
        this.log.info('a key was created beside those that sign', {
          algorithm: chain,
          signsAt: at.toISOString(),
        });
    }
  }

  private missing(published: readonly SigningKey[]): readonly SigningAlgorithm[] {
    return servedAlgorithms(this.settings).filter(
      (wanted) =>
        !published.some(
          ({ state, algorithm }) => algorithm === wanted && (state === 'current' || state === 'next'),
        ),
    );
  }
}
