import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { startTestApi } from '../support/api.js';
import { SilentConsent } from '../support/silent-consent.js';

const ROUNDS = 6;
const STEPS = 500;

/** `SEED=<number>` runs the one that was printed again. */
it('S185: minutes of random requests get no token with more rights than were consented to', async () => {
  const given = process.env['SEED'];
  for (let round = 0; round < (given === undefined ? ROUNDS : 1); round += 1) {
    const seed = given === undefined ? randomInt(2 ** 31) : Number(given);
    console.log(`silent consent: seed ${seed}`);
    const api = await startTestApi();
    try {
      const found = await new SilentConsent(api, seed).run(STEPS);
      expect(found.refused, `seed ${seed}`).toBeGreaterThan(0);
    } finally {
      await api.close();
    }
  }
});
