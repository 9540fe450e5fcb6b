import type { JWK } from 'jose';

export abstract class ClientAssertionsStore {
  /** The public key of a client by its id, while it has not expired. Never cached: a removed key is dead at once. */
  abstract findKey(clientId: string, keyId: string): Promise<JWK | undefined>;

  /**
   * Uses up an assertion by one conditional statement: true for the first of all that try, also of those at once.
   *
   * @param hash     stands for who signed it and its jti
   * @param forSeconds how long it could be used again otherwise
   */
  abstract use(hash: Buffer, forSeconds: number): Promise<boolean>;
}
