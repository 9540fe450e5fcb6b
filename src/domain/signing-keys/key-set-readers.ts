import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Sealer } from '../secrets/sealer.js';
import { addressGroup } from '../shared/address-group.js';
import { Log } from '../shared/log.js';
import { messageOf } from '../shared/message-of.js';
import { oncePer } from '../shared/once-per.js';
import { SigningKeysStore } from './signing-keys.store.js';

const WRITE_EVERY_MS = 10_000;
/** Addresses remembered between two writings; whoever is left out asks again. */
const MOST_REMEMBERED = 1_000;

/**
 * Counts the addresses that have fetched the key set since a key was published, so that operators see how many have it before it signs.
 * Counted in memory and written down every few seconds, so that asking for the key set stays a reading. Addresses are
 * kept as keyed hashes: how many matters, who they are does not.
 */
@Injectable()
export class KeySetReaders implements OnApplicationShutdown {
  private reads = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;
  private readonly warn: (reason: string) => void;

  constructor(
    private readonly keys: SigningKeysStore,
    private readonly sealer: Sealer,
    log: Log,
  ) {
    this.warn = oncePer(60_000, (reason: string) =>
      log.warn('readers of the key set were not counted', { reason }),
    );
    this.timer = setInterval(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  note(address: string): void {
    const group = addressGroup(address);
    const before = this.reads.get(group);
    if (before === undefined && this.reads.size >= MOST_REMEMBERED) return;
    this.reads.set(group, (before ?? 0) + 1);
  }

  /** Never throws: a count that is lost hurts nobody. */
  async write(): Promise<void> {
    if (this.reads.size === 0) return;
    const reads = this.reads;
    this.reads = new Map();
    try {
      await this.keys.recordKeySetReads(
        new Map(
          [...reads].map(([group, count]) => [
            this.sealer.mac('key-set-reader', group).toString('base64url'),
            count,
          ]),
        ),
      );
    } catch (error) {
      this.warn(messageOf(error));
    }
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.resolve();
  }
}
