/** What was found at an address that an application names. */
export interface FetchedDocument {
  readonly text: string;
  /** As its server says; undefined where it says nothing. */
  readonly maxAgeSeconds: number | undefined;
}

/** Why there is nothing to be had: for the application's developer, without what was found there. */
export class DocumentUnavailable extends Error {}

/** Fetches what clients say of themselves and the keys that they publish, by the rules for addresses that strangers name. */
export abstract class ClientDocuments {
  /**
   * @param mostBytes past which the document is refused
   * @throws DocumentUnavailable
   */
  abstract fetch(address: string, mostBytes: number): Promise<FetchedDocument>;
}
