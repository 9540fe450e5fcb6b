import { expect, it } from 'vitest';
import { draw } from '../support/draw.js';
import { tryTruncatedSecrets } from '../support/truncated-secrets.js';

/** `SEED=<number>` repeats a run. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32));

it(`S194: no truncated secret takes the place of the true one (SEED=${seed})`, async () => {
  process.stdout.write(`truncated secrets: SEED=${seed}\n`);
  const { faults } = await tryTruncatedSecrets(draw(seed), 12_000);
  expect(faults, `SEED=${seed}`).toEqual([]);
}, 1_200_000);
