import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../support/api.js';
import { draw } from '../../support/draw.js';
import { lookForTakeover } from '../../support/vouched-identity.js';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

describe('organizations that vouch for whatever they like', () => {
  // longer, and with other seeds, in test/faults/vouched-identity.spec.ts
  it.each([13, 191])('S193: get at nobody by an address (seed %i)', async (seed) => {
    await lookForTakeover(api, draw(seed), 60);
    expect.hasAssertions();
  });
});
