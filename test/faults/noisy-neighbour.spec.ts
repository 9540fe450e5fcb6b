import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { noisyNeighbours } from '../support/noisy-neighbour.js';

const SEEDS = 500;

it('S187: no random mix of tenants, hashes and arrivals lets one tenant block another', async () => {
  const first = Number(process.env['NOISY_SEED'] ?? randomInt(2 ** 31));
  process.stdout.write(`noisy neighbours: NOISY_SEED=${first} repeats it\n`);
  for (let seed = first; seed < first + SEEDS; seed += 1) {
    expect((await noisyNeighbours(seed)).faults).toEqual([]);
  }
});
