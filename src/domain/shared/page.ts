/** How the name in a filter is compared. */
export type NameMatch = 'equals' | 'starts-with' | 'contains';

/** Which part of a list is asked for. */
export interface PageQuery {
  readonly offset: number;
  readonly limit: number;
  /** Oldest first, else newest first. */
  readonly ascending: boolean;
  readonly name?: { readonly text: string; readonly match: NameMatch; readonly ignoreCase: boolean };
}

/** Of a list without end, counting goes so far: beyond it nobody reads it to its end, and a count would read a million rows. */
export const MOST_COUNTED = 10_000;

/** A part of a list, and how long the whole is. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** Counting stopped there. */
  readonly hasMoreThanTotal?: boolean;
  /** Number of the newest change that this view of things can have seen. */
  readonly processedSequence: string;
  readonly viewedAt: Date;
}
