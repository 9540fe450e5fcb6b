import { afterEach, beforeEach, expect, it, vi } from 'vitest';

// The program of the API, with its application replaced: what it does at a start whose PostgreSQL goes away once more after the
// wait for it (`storage/postgres/retry-while-away.ts`).

const run = vi.fn<() => Promise<void>>();
const listen = vi.fn<() => Promise<void>>();
const exit = vi.fn<(code?: number | string | null) => never>();

const app = {
  enableShutdownHooks: () => undefined,
  get: ({ name }: { readonly name: string }): object =>
    name === 'EnsureKeys'
      ? { run }
      : { begin: async () => undefined, sayNoticed: async () => undefined, start: async () => undefined },
  listen,
};

vi.mock('../../../src/build-api.js', () => ({ buildApi: async () => app }));
vi.mock('../../../src/config/config.js', async (original) => {
  const actual = await original<typeof import('../../../src/config/config.js')>();
  return { ...actual, loadConfig: () => ({ ...actual.readConfig({}), logLevel: 'silent' }) };
});
vi.mock('../../../src/ops/log-uncaught.js', () => ({ logUncaught: () => undefined }));
vi.mock('../../../src/ops/wait-for-database.js', () => ({ waitForDatabase: async () => undefined }));
vi.mock('../../../src/ops/watch-loop.js', () => ({ watchLoop: () => undefined }));
vi.mock('node:timers/promises', () => ({ setTimeout: async () => undefined }));

beforeEach(() => {
  vi.resetModules();
  vi.spyOn(process, 'exit').mockImplementation(exit);
  // its handlers of signals are not for this process
  vi.spyOn(process, 'once').mockReturnThis();
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const mock of [run, listen, exit]) mock.mockReset();
});

it('tries to make its first keys again until PostgreSQL is back, and listens only then', async () => {
  const { DatabaseAway } = await import('../../../src/storage/postgres/sql.js');
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  run.mockRejectedValueOnce(new DatabaseAway(refused)).mockImplementation(async () => {
    expect(listen).not.toHaveBeenCalled();
  });
  await import('../../../src/main.js');
  expect(run).toHaveBeenCalledTimes(2);
  expect(listen).toHaveBeenCalledOnce();
  expect(exit).not.toHaveBeenCalled();
});

it('ends where waiting does not mend it', async () => {
  run.mockRejectedValue(new Error('the master key is another one'));
  await import('../../../src/main.js');
  expect(run).toHaveBeenCalledOnce();
  expect(listen).not.toHaveBeenCalled();
  expect(exit).toHaveBeenCalledWith(1);
});
