// apart from the hooks of lists (`pages.ts`), which bring tables along: the first page needs no table

/** A page of a list that says where the next one begins; how long the whole is stands in one of two places. */
export interface CursorPage<Row> {
  readonly result?: readonly Row[] | undefined;
  readonly nextCursor?: string | undefined;
  readonly total?: number | undefined;
  readonly hasMoreThanTotal?: unknown;
  readonly details?: {
    readonly totalResult?: string | undefined;
    readonly hasMoreThanTotal?: boolean | undefined;
  };
}

/** Which part of such a list is asked for. */
export interface PagePart {
  readonly limit: number;
  readonly cursor?: string;
}

export function partOf(limit: number, cursor: string | undefined): PagePart {
  return cursor === undefined ? { limit } : { limit, cursor };
}

/** All of such a list, for what has to be known of the whole. */
export async function wholeOf<Row>(find: (page: PagePart) => Promise<CursorPage<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const { result = [], nextCursor } = await find(partOf(1000, cursor));
    rows.push(...result);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return rows;
}
