import { expect, it, vi } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import type { Log } from '../../../src/domain/shared/log.js';
import { waitForDatabase } from '../../../src/ops/wait-for-database.js';
import { requireUsableDatabase } from '../../../src/storage/postgres/require-usable-database.js';

vi.mock('../../../src/storage/postgres/require-usable-database.js', () => ({
  requireUsableDatabase: vi.fn<() => Promise<void>>(),
}));
vi.mock('node:timers/promises', () => ({ setTimeout: async () => undefined }));

it('waits for a host name that nobody knows yet, and says that a misspelled one is waited for as well', async () => {
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND db'), { code: 'ENOTFOUND' });
  vi.mocked(requireUsableDatabase).mockRejectedValueOnce(unknown).mockRejectedValueOnce(unknown);
  const log = { info: vi.fn<Log['info']>(), warn: vi.fn<Log['warn']>() };
  await waitForDatabase(readConfig({ OPS_PORT: '0' }), 'worker', log as unknown as Log);
  expect(log.warn.mock.calls).toEqual([
    [
      'PostgreSQL cannot be reached; waiting for it',
      { cause: expect.stringMatching(/^ENOTFOUND: .*host name in DATABASE_URL.*misspelled/) },
    ],
  ]);
});
