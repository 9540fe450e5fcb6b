import type { ImportStop } from './import-job.js';

/** What an import stands on beside the permission of whoever asked for it. */
export interface ImportEligibility {
  readonly organizationRemoved: boolean;
  /** Deleted; who is only shut out has lost the permission. */
  readonly callerRemoved: boolean;
  /** The token that it was asked for with was ended (`AskedWith`); one that has just run out was not. */
  readonly tokenRevoked: boolean;
}

/** Somebody who asked for something after the end of an import. */
export interface ImportAsker {
  /** What they asked for stands on no token. */
  readonly eligibility: ImportEligibility;
  /** They are still there and may sign in. */
  readonly callerActive: boolean;
}

/** Why an import does not go on, if it does not (security F46). */
export function reasonToStop(eligibility: ImportEligibility): ImportStop | undefined {
  if (eligibility.organizationRemoved) return 'organization_removed';
  if (eligibility.callerRemoved) return 'caller_removed';
  return eligibility.tokenRevoked ? 'token_revoked' : undefined;
}
