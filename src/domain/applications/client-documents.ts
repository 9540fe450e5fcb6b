/** What was found at an address that an application names. */
export interface FetchedDocument {
  readonly text: string;
  /** As its server says; undefined where it says nothing. */
  readonly maxAgeSeconds: number | undefined;
}

export interface FetchOptions {
  /** `anything` where its type says nothing: it is judged by what it is. */
  readonly accepts?: 'json' | 'anything';
  /** Whose share it is (`shareOf`), where somebody waits before a page: a server that does not answer is left alone for a while. */
  readonly onBehalfOf?: string;
}

/** Why there is nothing to be had: for the application's developer, without what was found there. */
export class DocumentUnavailable extends Error {}

/** Fetches what clients say of themselves, and the keys and requests that they publish, by the rules for addresses that strangers name. */
export abstract class ClientDocuments {
  /**
   * @param mostBytes past which the document is refused
   * @throws DocumentUnavailable
   */
  abstract fetch(address: string, mostBytes: number, options?: FetchOptions): Promise<FetchedDocument>;
}
