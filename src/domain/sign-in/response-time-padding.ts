import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Pads the time of an answer to a whole number of steps, so that the time reveals neither
 * whether an account exists nor how its password is hashed.
 */
export class ResponseTimePadding {
  constructor(readonly stepMs: number) {}

  /**
   * Waits until a whole number of steps has passed since `startedAt` (performance.now()).
   *
   * @param atLeastMs what anything that may have been done meanwhile takes
   */
  async settle(startedAt: number, atLeastMs = 0): Promise<void> {
    if (this.stepMs === 0) return;
    const elapsed = performance.now() - startedAt;
    await sleep(Math.ceil(Math.max(elapsed, atLeastMs) / this.stepMs) * this.stepMs - elapsed);
  }
}
