import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { KeySettings } from './key-settings.js';
import { KeysStore } from './keys.store.js';
import { MakeKeys } from './make-keys.js';

/**
 * Makes the first signing key and the first token key of an instance. Any number of replicas may start at once on
 * an empty database: they queue behind one lock and the second finds the work done.
 */
@Injectable()
export class EnsureKeys {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: KeysStore,
    private readonly makeKeys: MakeKeys,
    private readonly settings: KeySettings,
  ) {}

  async run(): Promise<void> {
    // the usual start finds both and takes no lock
    const [published, tokenKeys] = await Promise.all([this.keys.listPublished(), this.keys.listTokenKeys()]);
    if (this.hasCurrent(published) && tokenKeys.length > 0) return;
    await this.unitOfWork.run(async (tx) => {
      await this.keys.lock(tx);
      if (!this.hasCurrent(await this.keys.listPublished(tx))) {
        await this.makeKeys.make(tx, { chain: this.settings.algorithm });
      }
      if ((await this.keys.listTokenKeys(tx)).length === 0) await this.makeKeys.make(tx, { chain: 'opaque' });
    });
  }

  private hasCurrent(keys: readonly { state: string; algorithm: string }[]): boolean {
    return keys.some((key) => key.state === 'current' && key.algorithm === this.settings.algorithm);
  }
}
