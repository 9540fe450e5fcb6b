import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';

// The rings of the test suite. `npm test` runs them one after the other on services of its own;
// `npx vitest --project http` starts such services by itself (test/support/global-setup.ts).
const GLOBAL_SETUP = ['test/support/global-setup.ts'];

export default defineConfig({
  test: {
    environment: 'node',
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    // Only what hangs is ended: what is waited for comes at once, or late on a machine with other things to do.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Unit tests see neither database nor network. The others share two cores with their servers.
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.spec.ts'], maxWorkers: 2 } },
      // the tests share nothing but the services, so their files need no process of their own
      ring('storage', { isolate: false }),
      ring('http', { isolate: false }),
      // its tests wait for intervals and time-outs of other processes: two files at once leave the cores idle most of the time
      ring('workers', { isolate: false, maxWorkers: 4, groupOrder: 3 }),
      ring('conformance', { isolate: false }),
      ring('browser', { isolate: false }),
      // `npm run test:faults`: minutes of things going wrong, one scenario at a time.
      ring('faults', { maxWorkers: 1, groupOrder: 1, testTimeout: 360_000 }),
      // `npm run test:interop`: other people's libraries; it fetches them, so that it needs package registries.
      ring('interop', {
        maxWorkers: 1,
        groupOrder: 2,
        testTimeout: 900_000,
        hookTimeout: 900_000,
        globalSetup: [...GLOBAL_SETUP, 'test/interop/support/matrix.ts'],
      }),
    ],
  },
});

function ring(
  name: string,
  {
    groupOrder = 0,
    ...more
  }: {
    /** Two: a file waits for its servers more than it works, so that two of them share two cores well. */
    maxWorkers?: number;
    /** Rings with unlike numbers of workers never run at once; vitest wants that said. */
    groupOrder?: number;
    testTimeout?: number;
    hookTimeout?: number;
    isolate?: boolean;
    globalSetup?: string[];
  } = {},
) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`test/${name}/**/*.spec.ts`],
      globalSetup: GLOBAL_SETUP,
      maxWorkers: 2,
      sequence: { groupOrder },
      ...more,
    },
  };
}
