/** What was found at the address that is a client id. */
export interface FetchedDocument {
  readonly text: string;
  /** As its server says; undefined where it says nothing. */
  readonly maxAgeSeconds: number | undefined;
}

/** Why there is nothing to be had: for the application's developer, without what was found there. */
export class DocumentUnavailable extends Error {}

/** Fetches client metadata documents, by the rules for addresses that strangers name. */
export abstract class ClientDocuments {
  /** @throws DocumentUnavailable */
  abstract fetch(address: string): Promise<FetchedDocument>;
}
