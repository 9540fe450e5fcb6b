import type { ImportStop } from './import-job.js';

/** What an import stands on beside the permission of whoever asked for it. */
export interface ImportStanding {
  readonly organizationRemoved: boolean;
  /** Deleted; who is only shut out has lost the permission. */
  readonly callerRemoved: boolean;
  /** The personal access token that it was asked for with was revoked; one that has just run out was not. */
  readonly tokenRevoked: boolean;
}

/** Somebody who asked for something after the end of an import. */
export interface ImportAsker {
  /** What they asked for stands on no token. */
  readonly standing: ImportStanding;
  /** They are still there and may sign in. */
  readonly callerActive: boolean;
}

/** Why an import does not go on, if it does not (security F46). */
export function reasonToStop(standing: ImportStanding): ImportStop | undefined {
  if (standing.organizationRemoved) return 'organization_removed';
  if (standing.callerRemoved) return 'caller_removed';
  return standing.tokenRevoked ? 'token_revoked' : undefined;
}
