import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RequestDelaySignal } from '../../../src/domain/request-delay/request-delay-signal.js';
import { useWorld } from '../../support/world.js';

const { api } = useWorld();
const heard: number[] = [];
let stop: () => Promise<void>;

beforeAll(() => {
  stop = api.app.get(RequestDelaySignal, { strict: false }).listen((delayMs) => heard.push(delayMs));
});
afterAll(() => stop());

it('says how long requests wait while there are any, and nothing when there are none', async () => {
  await expect
    .poll(
      async () => {
        await api.app.inject({ url: '/.well-known/openid-configuration' });
        return heard.length;
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(1);
  for (const delayMs of heard) expect(delayMs).toBeGreaterThan(0);
  // the last second that had requests may still be told
  let before: number;
  do {
    before = heard.length;
    await sleep(2_500);
  } while (heard.length > before);
  const last = heard.length;
  await sleep(2_500);
  expect(heard.length).toBe(last);
}, 90_000);
