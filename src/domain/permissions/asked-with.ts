/**
 * The token by which background work was requested: revoking the token ends the work. Its expiry, or the end of the
 * session that it came from, does not.
 */
export interface AskedWith {
  /** Of a personal access token. */
  readonly tokenId?: string | undefined;
  /** Of any other one: the epoch of whoever asked, as their token has it (`TokenId`). */
  readonly subjectEpoch?: number | undefined;
}
