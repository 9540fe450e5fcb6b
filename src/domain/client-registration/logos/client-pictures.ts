/** Fetches the pictures that clients name, by the rules for addresses that strangers name. */
export abstract class ClientPictures {
  /**
   * The content at the address, of any type; undefined if it cannot be fetched in time.
   *
   * @param mostBytes larger content is refused
   */
  abstract fetch(address: string, mostBytes: number): Promise<Buffer | undefined>;
}
