import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import { Log } from '../shared/log.js';
import { AlgorithmTakeover } from './algorithm-takeover.js';
import { EnsureKeys } from './ensure-keys.js';

const LOOK_AGAIN_MS = 60_000;

/**
 * Says in the log of an API when `SIGNING_ALG` takes effect: at its start, again when that changes (somebody rotates, replaces
 * or removes the key), and once it has. Where the key set had no room for the key at the start, it is made as soon as there is some.
 * A key that was there and that somebody removed stays away until the next start.
 */
@Injectable()
export class AnnounceTakeover implements BeforeApplicationShutdown {
  private said: string | undefined;
  /** No key was there yet each time it looked. */
  private waitsForRoom = true;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(
    private readonly takeover: AlgorithmTakeover,
    private readonly ensureKeys: EnsureKeys,
    private readonly log: Log,
  ) {}

  /** After the keys were ensured. */
  async begin(): Promise<void> {
    const pending = await this.takeover.find();
    if (pending === undefined) {
      if (this.said !== undefined) this.log.info('SIGNING_ALG has taken effect');
      return;
    }
    const { algorithm, signing, at } = pending;
    this.waitsForRoom &&= at === undefined;
    const takesEffectAt = at?.toISOString();
    const news = `${signing} ${takesEffectAt}`;
    if (news !== this.said)
      this.log.info('SIGNING_ALG takes effect later', { algorithm, signing, takesEffectAt });
    this.said = news;
    this.lookLater();
  }

  beforeApplicationShutdown(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  private lookLater(): void {
    if (!this.ended) this.timer = setTimeout(() => void this.lookAgain(), LOOK_AGAIN_MS).unref();
  }

  private async lookAgain(): Promise<void> {
    try {
      const pending = await this.takeover.find();
      if (pending?.lacksKey === true && this.waitsForRoom) await this.ensureKeys.run();
      await this.begin();
    } catch (error) {
      // that PostgreSQL is away, others say
      const isAway = error instanceof ApiError && error.kind === 'unavailable';
      if (!isAway) this.log.error('whether SIGNING_ALG has taken effect could not be found out', error);
      this.lookLater();
    }
  }
}
