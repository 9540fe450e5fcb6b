import { expect, it, vi } from 'vitest';
import { packOutcomes } from '../../../src/domain/imports/chunks/chunk-text.js';
import { ImportJobs } from '../../../src/domain/imports/import-jobs.js';
import type { ImportPermission } from '../../../src/domain/imports/import-permission.js';
import type { ImportsStore } from '../../../src/domain/imports/imports.store.js';
import type { OutcomeKind } from '../../../src/domain/imports/write/record-outcome.js';
import type { ImportJobId, OrgId } from '../../../src/domain/shared/ids.js';

// A download of the few records that failed waits for no chunk that has none of them: its first byte would come minutes late.

const NONE = { created: 0, updated: 0, skipped: 0, failed: 0 };

it('opens only the chunks that have what is asked for', async () => {
  const readResults = vi.fn<(id: ImportJobId, number: number) => Promise<Buffer>>(
    async (_id, number) =>
      await packOutcomes([
        { line: 2 * number, outcome: 'created' },
        { line: 2 * number + 1, outcome: number === 2 ? 'failed' : 'created' },
      ]),
  );
  const store = {
    find: async () => await Promise.resolve({}),
    listChunks: async () =>
      await Promise.resolve([
        { ...NONE, number: 1, created: 2 },
        { ...NONE, number: 2, created: 1, failed: 1 },
        { ...NONE, number: 3, created: 2 },
      ]),
    readResults,
  };
  const jobs = new ImportJobs(store as unknown as ImportsStore, {} as ImportPermission);
  const linesOf = async (only?: readonly OutcomeKind[]): Promise<number[]> => {
    const lines: number[] = [];
    for await (const { line } of jobs.results('1' as OrgId, '2' as ImportJobId, only)) lines.push(line);
    return lines;
  };
  expect(await linesOf(['failed', 'skipped'])).toEqual([5]);
  expect(readResults.mock.calls.map(([, number]) => number)).toEqual([2]);
  expect(await linesOf()).toEqual([2, 3, 4, 5, 6, 7]);
});
