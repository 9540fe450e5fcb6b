import { defineConfig } from 'vitest/config';

// The rings of the test suite. `npm test` runs them one after the other on services of its own;
// `npx vitest --project http` starts such services by itself (test/support/global-setup.ts).
const GLOBAL_SETUP = ['test/support/global-setup.ts'];

export default defineConfig({
  test: {
    environment: 'node',
    // Unit tests see neither database nor network. The others share two cores with their servers.
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.spec.ts'] } },
      ring('storage'),
      // the tests share nothing but the services, so their files need no process of their own
      ring('http', { isolate: false }),
      // Whole processes that drain, die and are taken over: a file waits more than it works, so two share the cores.
      ring('workers', { maxWorkers: 2, groupOrder: 1, testTimeout: 180_000 }),
      ring('conformance', { fileParallelism: false, testTimeout: 60_000, isolate: false }),
      ring('browser', { fileParallelism: false, testTimeout: 60_000 }),
      // `npm run test:faults`: minutes of things going wrong, one scenario at a time.
      ring('faults', { fileParallelism: false, testTimeout: 360_000 }),
    ],
  },
});

function ring(
  name: string,
  {
    groupOrder = 0,
    ...more
  }: {
    fileParallelism?: boolean;
    maxWorkers?: number;
    /** Rings with unlike numbers of workers never run at once; vitest wants that said. */
    groupOrder?: number;
    testTimeout?: number;
    isolate?: boolean;
  } = {},
) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`test/${name}/**/*.spec.ts`],
      globalSetup: GLOBAL_SETUP,
      testTimeout: 30_000,
      hookTimeout: 120_000,
      sequence: { groupOrder },
      ...more,
    },
  };
}
