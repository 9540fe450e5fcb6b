import { ENDED_STATES, type ImportJob, type ImportJobState, type PostImportWork } from './import-job.js';

/** What is watched of an import: itself, from the first byte of its file to its end, and what may follow. */
export type ImportWork = 'import' | PostImportWork;

/** How far a part of an import is: numbers and a state, nothing of anybody (security S168). */
export interface ImportProgress {
  readonly state: ImportJobState | 'undoing' | 'notifying' | 'notified' | 'held';
  /** 0 to 100: of the file while it is received, of the records while they are written, of the users afterwards. */
  readonly percent: number;
  /** What the percentage is of, and how much of it is done. */
  readonly unit: 'bytes' | 'records' | 'users';
  readonly done: number;
  /** Undefined where the sender of the file did not announce it. */
  readonly total: number | undefined;
  readonly failed: number;
  readonly perSecond: number;
  /** No look at it is needed any more. */
  readonly ended: boolean;
}

export function progressOf(job: ImportJob, work: ImportWork): ImportProgress {
  if (work === 'undo') return undoProgress(job);
  if (work === 'notify') return notifyProgress(job);
  return job.state === 'reading' ? uploadProgress(job) : recordsProgress(job);
}

function uploadProgress({ state, bytesArrived, bytesExpected }: ImportJob): ImportProgress {
  const percent = bytesExpected === undefined ? 0 : share(bytesArrived, bytesExpected);
  const bytes = { unit: 'bytes', done: bytesArrived, total: bytesExpected } as const;
  return { state, percent, ...bytes, failed: 0, perSecond: 0, ended: false };
}

function recordsProgress({ state, counts, total, rate = 0 }: ImportJob): ImportProgress {
  const { created, updated, skipped, failed } = counts;
  const done = created + updated + skipped + failed;
  const ended = ENDED_STATES.includes(state);
  // one whose file never arrived has no number of records
  const percent = total === undefined ? 0 : share(done, total);
  return { state, percent, unit: 'records', done, total, failed, perSecond: rate, ended };
}

function undoProgress({ counts, undo }: ImportJob): ImportProgress {
  const { state, removed, kept } = undo ?? { state: undefined, removed: 0, kept: 0 };
  const shown = state === 'running' ? 'undoing' : state === 'done' ? 'undone' : 'held';
  return postImportProgress(shown, removed + kept, counts.created, state !== 'running');
}

function notifyProgress({ counts, notified, notifiedUsers = 0 }: ImportJob): ImportProgress {
  const shown = notified === 'running' ? 'notifying' : notified === 'done' ? 'notified' : 'held';
  return postImportProgress(shown, notifiedUsers, counts.created, notified !== 'running');
}

function postImportProgress(
  state: ImportProgress['state'],
  done: number,
  total: number,
  ended: boolean,
): ImportProgress {
  return { state, percent: share(done, total), unit: 'users', done, total, failed: 0, perSecond: 0, ended };
}

/** 100 only where nothing is left. */
function share(done: number, total: number): number {
  return total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
}
