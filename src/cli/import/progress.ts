import { recordsDone, type ImportJob } from '../api/imports.js';
import { StatusLine } from '../shell/status-line.js';

const BAR = 24;
const STEP = 10;

/** Progress of an import: a bar, a rate and failures; a log gets a line every ten percent and for each state. */
export class Progress extends StatusLine {
  sent(bytes: number, of: number | undefined): void {
    const amount = of === undefined ? megabytes(bytes) : `${megabytes(bytes)} of ${megabytes(of)}`;
    this.show(`Sending ${bar(bytes, of)} ${amount}`, `sent:${of === undefined ? '' : step(bytes, of)}`);
  }

  job(job: ImportJob): void {
    if (job.undo?.state === 'running') this.undo(job, job.undo);
    else if (job.notified === 'running')
      this.show(`Sending ${number(job.counts.held ?? 0)} held messages`, 'notify');
    else this.records(job);
  }

  private undo({ counts }: ImportJob, { removed, kept }: NonNullable<ImportJob['undo']>): void {
    const done = removed + kept;
    const parts = [
      `Undoing ${bar(done, counts.created)}`,
      `${number(done)} of ${number(counts.created)}`,
      ...(kept === 0 ? [] : [`${number(kept)} kept`]),
    ];
    this.show(parts.join(' · '), `undo:${step(done, counts.created)}`);
  }

  private records(job: ImportJob): void {
    const done = recordsDone(job);
    const { total } = job.counts;
    const parts = [
      `${job.state === 'running' ? 'Importing' : capital(job.state)} ${bar(done, total)}`,
      total === undefined ? number(done) : `${number(done)} of ${number(total)}`,
      ...(job.rate === undefined || job.state === 'paused' ? [] : [`${number(Math.round(job.rate))}/s`]),
      ...(hasPace(job) ? [`${duration(job.etaSeconds)} left`] : []),
      ...(job.counts.failed === 0 ? [] : [`${number(job.counts.failed)} failed`]),
    ];
    this.show(parts.join(' · '), `${job.state}:${total === undefined ? '' : step(done, total)}`);
  }
}

/** While an import is paused nobody can say when it ends. */
export function hasPace(job: ImportJob): job is ImportJob & { readonly etaSeconds: number } {
  return job.etaSeconds !== undefined && job.state === 'running';
}

function bar(done: number, of: number | undefined): string {
  if (of === undefined || of === 0) return '';
  const share = Math.min(1, done / of);
  const filled = Math.round(share * BAR);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${Math.floor(share * 100)} %`;
}

function step(done: number, of: number): number {
  return of === 0 ? 0 : Math.floor((done / of) * (100 / STEP));
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${Math.ceil(seconds)} s`;
  return minutes < 60
    ? `${minutes} min ${Math.ceil(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
