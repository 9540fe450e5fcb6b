import type { ImportJob } from '../../domain/imports/import-job.js';
import type { PaceStep } from '../../domain/imports/imports.store.js';

/** No step is shorter. */
const EVERY_MS = 2_000;

/** What one stream has told of how fast an import goes, so that it tells no step twice. */
export class PaceStream {
  private steps: readonly PaceStep[] | undefined;
  private toldAt = -Infinity;
  private isFinal = false;

  /** Whether there may be something new. Nothing changes once it has ended, whatever is done about it afterwards. */
  isDue({ finishedAt }: ImportJob, now = performance.now()): boolean {
    return !this.isFinal && (finishedAt !== undefined || now - this.toldAt >= EVERY_MS);
  }

  /**
   * The steps from the first one on that was told otherwise or not at all: all, where steps have become longer; some of the last,
   * where a chunk was written a moment later than its end says.
   * @param job as it was before `steps` were read
   */
  tell(
    steps: readonly PaceStep[],
    { finishedAt }: ImportJob,
    now = performance.now(),
  ): { readonly from: number; readonly steps: readonly PaceStep[] } | undefined {
    const before = this.steps;
    this.steps = steps;
    this.toldAt = now;
    this.isFinal = finishedAt !== undefined;
    if (before === undefined) return { from: 0, steps };
    const differs = steps.findIndex((step, index) => !isSame(step, before[index]));
    if (differs === -1 && steps.length === before.length) return undefined;
    const from = differs === -1 ? steps.length : differs;
    return { from, steps: steps.slice(from) };
  }
}

function isSame({ at, rate }: PaceStep, other: PaceStep | undefined): boolean {
  return other !== undefined && rate === other.rate && at.getTime() === other.at.getTime();
}
