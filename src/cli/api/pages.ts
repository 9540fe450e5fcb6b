import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '../shell/options.js';
import type { ApiClient } from './api-client.js';

/** A page of a list as the service returns it; counts are strings, and an empty list is left out. */
export interface Page<Item> {
  readonly details: { readonly totalResult?: string; readonly hasMoreThanTotal?: boolean };
  readonly result?: readonly Item[];
  /** Where there is more, unless the list is paged by offset alone. */
  readonly nextCursor?: string;
}

/** The service answers no more at a time. */
const LONGEST_PAGE = 1000;

export const pageOptions = new Command()
  .option('--limit <n>', 'number of entries to list', wholeNumber, 20)
  .option('--offset <n>', 'number of entries to skip', wholeNumber);

export type PageOptions = ReturnType<typeof pageOptions.opts>;

/** So much of a list that is read by GET. */
export async function getPage<Item>(client: ApiClient, path: string, asked: PageOptions) {
  return await gather(asked, ({ limit, ...place }) =>
    client.get<Page<Item>>(path, { limit: String(limit), ...place }),
  );
}

/** So much of a list that is searched by POST. */
export async function searchPage<Item>(client: ApiClient, path: string, asked: PageOptions) {
  return await gather(asked, (query) => client.post<Page<Item>>(path, { query }));
}

interface Part {
  readonly limit: number;
  readonly offset?: string;
  readonly cursor?: string;
}

/** One page after the other until there are as many as asked for: what comes or goes meanwhile makes none skip or repeat an entry. */
export async function gather<Item>(
  { limit, offset }: PageOptions,
  ask: (part: Part) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  const result: Item[] = [];
  let place: Omit<Part, 'limit'> = offset === undefined ? {} : { offset: String(offset) };
  for (;;) {
    const page = await ask({ limit: Math.min(LONGEST_PAGE, limit - result.length), ...place });
    result.push(...(page.result ?? []));
    const { nextCursor: cursor, details, result: entries = [] } = page;
    const next = (offset ?? 0) + result.length;
    // without a cursor it continues by offset: a service of the previous release has none in some searches
    const hasNone = place.cursor === undefined && Number(details.totalResult ?? 0) > next;
    if (result.length >= limit || entries.length === 0 || (cursor === undefined && !hasNone))
      return { ...page, result };
    place = cursor === undefined ? { offset: String(next) } : { cursor };
  }
}
