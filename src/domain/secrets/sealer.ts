/**
 * Secrets at rest. Data keys live wrapped in a table; `MASTER_KEY` only wraps those, so rotating it re-wraps keys
 * and touches no data. A sealed value opens only for the purpose and the place (table, column, row) it was made for.
 */
export interface SealedPlace {
  /** HKDF label, one per purpose, e.g. `signing-key`. */
  readonly purpose: string;
  readonly table: string;
  readonly column: string;
  readonly rowId: string;
}

export interface SealedValue {
  readonly dataKeyId: number;
  /** version (1 byte) | nonce (12) | ciphertext | tag (16) */
  readonly sealed: Buffer;
}

export abstract class Sealer {
  /** Seals under the current data key. */
  abstract seal(place: SealedPlace, plain: Buffer): SealedValue;

  /** @throws SealBroken when the value was changed, belongs elsewhere, or its key is unknown */
  abstract open(place: SealedPlace, value: SealedValue): Promise<Buffer>;

  /** HMAC-SHA256 under a key derived for `purpose`: for short codes and fingerprints, never for sealing. */
  abstract mac(purpose: string, text: string): Buffer;
}
