import type { ImportJobId, OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What imports take at one moment. */
export interface ImportUsage {
  /** Held by the imports of the organization: records that wait, and what is kept of those that were done. */
  readonly organizationBytes: number;
  /** The same of all organizations. */
  readonly instanceBytes: number;
  /** Of the organization: imports that are read, wait, run, or are paused. */
  readonly unfinished: number;
}

/** How much imports take. Whoever is about to let one take more holds the lock. */
export abstract class ImportSpaceStore {
  /** Keeps everybody else from taking more until the transaction ends. */
  abstract lock(tx: Tx): Promise<void>;

  abstract usage(tx: Tx, orgId: OrgId): Promise<ImportUsage>;

  /** The import may take so many bytes more. @returns false when it is not being read any more */
  abstract reserve(tx: Tx, jobId: ImportJobId, bytes: number): Promise<boolean>;
}
