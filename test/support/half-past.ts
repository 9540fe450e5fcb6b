import { Clock } from '../../src/domain/shared/clock.js';
import type { TestApi } from './api.js';

const HOUR = 3_600;

/** Moves time on to the middle of an hour, so that what a test does lies in one. */
export async function toHalfPast(api: TestApi): Promise<void> {
  const intoHour = (api.app.get(Clock).nowMs() / 1000) % HOUR;
  await api.advance((1.5 * HOUR - intoHour) % HOUR);
}
