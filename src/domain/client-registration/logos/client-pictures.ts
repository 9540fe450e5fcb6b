/** Fetches the pictures that clients name, by the rules for addresses that strangers name. */
export abstract class ClientPictures {
  /**
   * What is there, whatever it is; undefined where it cannot be had in time.
   *
   * @param mostBytes past which it is not taken
   */
  abstract fetch(address: string, mostBytes: number): Promise<Buffer | undefined>;
}
