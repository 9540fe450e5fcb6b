import type { Sealer } from '../../domain/secrets/sealer.js';
import { addressGroup } from '../../domain/shared/address-group.js';

/**
 * Every key this service keeps in Redis by itself. BullMQ's own keys are `<prefix>:<queue>:…`; ours must never
 * look like those, so no queue may be called `rate`.
 */
export class RedisKeys {
  constructor(
    private readonly prefix: string,
    private readonly sealer: Sealer,
  ) {}

  /**
   * Counter of one source under one rule. Addresses are personal data, so the key carries a keyed digest; the
   * braces keep a source's windows in one slot of a cluster.
   */
  rateWindow(rule: string, source: string, window: number): string {
    const digest = this.sealer.mac('rate-limit-source', `${rule} ${addressGroup(source)}`);
    return `${this.prefix}:rate:{${digest.subarray(0, 16).toString('base64url')}}:${window}`;
  }
}
