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
   * @param firstIn all users of this organization that the name could mean are among them
   */
  abstract findCandidates(canonical: string, firstIn?: OrgId): Promise<readonly NameCandidate[]>;
}
