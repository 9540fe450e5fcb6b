import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { KeyRing } from './key-ring.js';
import { KeySignal } from './key-signal.js';

/** Makes this replica reload the keys as soon as any replica has changed them, rather than when its lease expires. */
@Injectable()
export class FollowKeys implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stop: () => Promise<void> = async () => undefined;

  constructor(
    private readonly signal: KeySignal,
    private readonly keyRing: KeyRing,
  ) {}

  onApplicationBootstrap(): void {
    this.stop = this.signal.listen(() => {
      this.keyRing.forget();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }
}
