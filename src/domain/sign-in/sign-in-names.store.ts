import type { OrgId, UserId } from '../shared/ids.js';

/** A user that a typed name could mean. */
export interface NameCandidate {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly active: boolean;
  /** The name is this user's full login name, `userName@<primary domain>`. */
  readonly full: boolean;
  readonly inDefaultOrg: boolean;
}

export abstract class SignInNamesStore {
  /**
   * Users whose full login name, user name or verified e-mail is this, at most a handful.
   * @param canonical the typed name in canonical form (NFKC, case-folded)
   */
  abstract findCandidates(canonical: string): Promise<readonly NameCandidate[]>;
}
