import { describe, expect, it } from 'vitest';
import { useApi } from '../../support/api.js';
import { draw } from '../../support/draw.js';
import { lookForTakeover } from '../../support/vouched-identity.js';

const api = useApi();

describe('organizations that vouch for whatever they like', () => {
  // longer, and with other seeds, in test/faults/vouched-identity.spec.ts
  // 1043058053: a user name in full-width letters, which is the full login name that an address reads like
  it.each([13, 191, 1043058053])('S193: take over nobody by an address (seed %i)', async (seed) => {
    await lookForTakeover(api, draw(seed), 60);
    expect.hasAssertions();
  });
});
