/**
 * The token that work was asked for with which goes on after its call: what ends the token ends the work. One that runs out, or the end of the
 * session that it came from, does not.
 */
export interface AskedWith {
  /** Of a personal access token. */
  readonly tokenId?: string | undefined;
  /** Of any other one: the epoch of whoever asked, as their token has it (`TokenId`). */
  readonly subjectEpoch?: number | undefined;
}
