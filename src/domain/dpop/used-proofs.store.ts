/** A proof, as far as its single use goes. */
export interface ProofToUse {
  /** Of its key and its `jti`. */
  readonly hash: Buffer;
  /** None that was used before this moment (seconds since 1970) can be this one. */
  readonly notUsedBefore: number;
  /** The memory that its nonce names: this proof was made when that had begun. */
  readonly memory: string | undefined;
}

export interface Remembered {
  readonly isUsed: boolean;
  /** Whether all that was used is remembered of the time in which this proof could have been. */
  readonly isCovered: boolean;
  /** Which memory it is: another one each time that it has been lost. */
  readonly memory: string;
}

/** Proofs that were accepted, for as long as they would be again. All of them are lost at once, and that is known afterwards. */
export abstract class UsedProofsStore {
  /** One conditional statement: true for the first who comes with a proof that is covered, on whichever replica. */
  abstract use(proof: ProofToUse, forSeconds: number): Promise<boolean>;

  /** Without a promise: another may use it a moment later. Begins a memory where there is none. */
  abstract find(proof: ProofToUse): Promise<Remembered>;
}
