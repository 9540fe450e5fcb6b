/** Assertions of applications and of service users that were accepted (RFC 7523 §3, `jti`), for as long as they would be again. */
export abstract class UsedAssertionsStore {
  /**
   * Uses one up, by one conditional statement: true for the first of all that try, also of concurrent ones.
   *
   * @param hash     stands for who signed it and its jti
   * @param forSeconds how long it could be used again otherwise
   */
  abstract use(hash: Buffer, forSeconds: number): Promise<boolean>;
}
