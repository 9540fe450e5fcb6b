import { describe, it } from 'vitest';
import { killTheApi } from './support/kill-the-api.js';

describe('an API dies between its commit and the queue', () => {
  it('F19: a hundred times: what it had accepted is done, once', { timeout: 1_200_000 }, async () => {
    await killTheApi(100);
  });
});
