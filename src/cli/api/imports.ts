import { ENDED_STATES, type ImportJobState } from '../../domain/imports/import-job.js';

/** An import as the service returns it (`/management/v1/imports`); fields that this program does not use are left out. */
export interface ImportJob {
  readonly id: string;
  readonly state: ImportJobState;
  /** Why it failed or was ended. */
  readonly reason?: string;
  readonly dryRun: boolean;
  readonly notify?: string;
  readonly fileName?: string;
  readonly counts: {
    /** Absent while the file is being read. */
    readonly total?: number;
    readonly created: number;
    readonly updated: number;
    readonly skipped: number;
    readonly failed: number;
    readonly weak: number;
    /** Kept, and asked for from the next sign-in on. A service of an earlier release does not count them. */
    readonly totpSecrets?: number;
    readonly recoveryCodes?: number;
    readonly codeFactors?: number;
    readonly passkeys?: number;
    /** For another relying-party id, and left out. */
    readonly foreignPasskeys?: number;
    readonly identities?: number;
    readonly knownIdentities?: number;
    readonly refusedIdentities?: number;
    /** Messages that wait for `identity import notify`. */
    readonly held?: number;
  };
  /** Records a second. */
  readonly rate?: number;
  readonly etaSeconds?: number;
  readonly retryOf?: string;
  /** Of a deferred import: whether its messages were asked for. */
  readonly notified?: string;
  readonly undo?: { readonly state: string; readonly removed: number; readonly kept: number };
}

export const IMPORTS = '/management/v1/imports';

export function importPath(id: string, action = ''): string {
  return `${IMPORTS}/${encodeURIComponent(id)}${action === '' ? '' : `/${action}`}`;
}

/** Whether it is final: undoing it and sending its mails continue after the import has ended. */
export function hasEnded(job: ImportJob): boolean {
  return ENDED_STATES.includes(job.state) && job.undo?.state !== 'running' && job.notified !== 'running';
}

export function recordsDone({ counts }: ImportJob): number {
  return counts.created + counts.updated + counts.skipped + counts.failed;
}
