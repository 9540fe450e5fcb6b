import { describe, it } from 'vitest';
import { killTheApi } from '../faults/support/kill-the-api.js';

describe('an API dies between its commit and the queue (F19)', () => {
  // as often as a minute has room for; `npm run test:faults` does it a hundred times
  it('8 times: what it had promised is done, once', { timeout: 360_000 }, async () => {
    await killTheApi(8);
  });
});
