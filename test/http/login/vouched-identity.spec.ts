import { describe, expect, it } from 'vitest';
import { useApi } from '../../support/api.js';
import { draw } from '../../support/draw.js';
import { lookForTakeover } from '../../support/vouched-identity.js';

const api = useApi();

describe('organizations that vouch for whatever they like', () => {
  // longer, and with other seeds, in test/faults/vouched-identity.spec.ts
  it.each([13, 191])('S193: get at nobody by an address (seed %i)', async (seed) => {
    await lookForTakeover(api, draw(seed), 60);
    expect.hasAssertions();
  });
});
