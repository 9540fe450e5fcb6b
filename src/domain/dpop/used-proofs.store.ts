/** Proofs that were accepted, for as long as they would be again. */
export abstract class UsedProofsStore {
  /** One conditional statement: true for the first who comes with it, on whichever replica. */
  abstract use(hash: Buffer, forSeconds: number): Promise<boolean>;

  /** Without a promise: another may use it a moment later. */
  abstract isUsed(hash: Buffer): Promise<boolean>;
}
