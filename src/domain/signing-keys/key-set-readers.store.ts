/** Who asked for the key set lately. Kept while somebody comes back now and then, and never more than so many. */
export abstract class KeySetReadersStore {
  /** @param reads keyed hash of an address, in base64url → how often it asked since it was last written down */
  abstract record(reads: ReadonlyMap<string, number>): Promise<void>;
}
