/** How the name in a filter is compared. */
export type NameMatch = 'equals' | 'starts-with' | 'contains';

/**
 * A place in a list between two of its rows. It stays where it is while rows come and go, so that pages that follow each other
 * skip and repeat nothing.
 */
export interface Cursor {
  /** Names the order and the filters of the list: in another one it is no place at all. */
  readonly list: string;
  /** What the row before it is put in order by. */
  readonly key: string;
  /** That row's id, which decides between rows of the same key. */
  readonly id: string;
}

/** Which part of a list is asked for. */
export interface PageQuery {
  readonly offset: number;
  readonly limit: number;
  /** Least first: what is oldest, or the first name. */
  readonly ascending: boolean;
  /** One of the orders that the list has; when its rows were made, unless it is said. */
  readonly by?: string;
  /** What cursors of the answer are to hold as theirs. */
  readonly list?: string;
  /** Where the page begins, instead of an offset. */
  readonly after?: Cursor;
  /** What some properties of a row are to be. */
  readonly filters?: Readonly<Record<string, string>>;
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
  /** Where the next page begins; undefined at the end. */
  readonly next?: Cursor;
  readonly viewedAt: Date;
}
