import type { ProofKind } from '../sessions/proof.js';
import type { Tx } from '../shared/unit-of-work.js';

/** Something that somebody has just shown, and that was found right. */
export interface ShownFactor {
  readonly kind: ProofKind;
  /** Uses it up, with whatever follows from it. @returns false, and nothing written, where that happened before */
  use(tx: Tx): Promise<boolean>;
}
