/** An import as the service tells of it (`/management/v1/imports`); fields that this program does not use are left out. */
export interface ImportJob {
  readonly id: string;
  readonly state: string;
  /** Why it failed or was ended. */
  readonly reason?: string;
  readonly dryRun: boolean;
  readonly fileName?: string;
  readonly counts: {
    /** Absent while the file is being read. */
    readonly total?: number;
    readonly created: number;
    readonly updated: number;
    readonly skipped: number;
    readonly failed: number;
    readonly weak: number;
  };
  /** Records a second. */
  readonly rate?: number;
  readonly etaSeconds?: number;
  readonly retryOf?: string;
  readonly undo?: { readonly state: string; readonly removed: number; readonly kept: number };
}

export const IMPORTS = '/management/v1/imports';

export function importPath(id: string, action = ''): string {
  return `${IMPORTS}/${encodeURIComponent(id)}${action === '' ? '' : `/${action}`}`;
}

const ENDED = new Set(['done', 'failed', 'cancelled', 'undone']);

/** Whether nothing changes any more; an undo goes on for a while after the import has. */
export function hasEnded(job: ImportJob): boolean {
  return ENDED.has(job.state) && job.undo?.state !== 'running';
}

export function recordsDone({ counts }: ImportJob): number {
  return counts.created + counts.updated + counts.skipped + counts.failed;
}
