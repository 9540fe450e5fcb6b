import type { ImportStop } from './import-job.js';

/** What an import, or work after its end, depends on besides the permission of the user who requested it. */
export interface ImportEligibility {
  readonly organizationRemoved: boolean;
  /** Deleted; a user who is only locked or deactivated has lost the permission. */
  readonly callerRemoved: boolean;
  /** They are still there and may sign in. */
  readonly callerActive: boolean;
  /** The token that it was asked for with was ended (`RequestingToken`); one that has just run out was not. */
  readonly tokenRevoked: boolean;
}

/**
 * Why an import must not continue; undefined if it may (security F46).
 *
 * @param isPermitted whether they hold the permission, if it was checked
 */
export function reasonToStop(eligibility: ImportEligibility, isPermitted = true): ImportStop | undefined {
  if (eligibility.organizationRemoved) return 'organization_removed';
  if (eligibility.callerRemoved) return 'caller_removed';
  // what shuts somebody out ends their tokens as well
  if (!eligibility.callerActive || !isPermitted) return 'permission_lost';
  return eligibility.tokenRevoked ? 'token_revoked' : undefined;
}
