/** The door to the domain name system: what a domain's owner has published as text. */
export abstract class TxtRecords {
  /**
   * The TXT records of a name, each put together from its parts; none for a name without any.
   * @throws ApiError unavailable if DNS does not answer within a few seconds
   */
  abstract find(name: string): Promise<readonly string[]>;
}
