import { Clock } from '../../src/domain/shared/clock.js';

/** Stands still until a test moves it: `clock.now += 1_000`. */
export class SetClock extends Clock {
  /** @param now in milliseconds since 1970 */
  constructor(public now: number) {
    super();
  }

  override nowMs(): number {
    return this.now;
  }
}
