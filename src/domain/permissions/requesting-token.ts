/**
 * The token by which background work was requested. The work ends when a personal access token is revoked, or, for any other token,
 * when the epoch of its user or their organization rises (a new password, a lock, a deactivation). The token's expiry, or the end
 * of its session, does not end the work.
 */
export interface RequestingToken {
  /** Of a personal access token. */
  readonly tokenId?: string | undefined;
  /** Of any other one: the epoch of whoever asked, as their token has it (`TokenId`). */
  readonly subjectEpoch?: number | undefined;
}
