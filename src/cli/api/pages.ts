import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '../shell/options.js';
import type { ApiClient } from './api-client.js';

/** A page of a list as the service tells it; counts are strings, and an empty list is left out. */
export interface Page<Item> {
  readonly details: { readonly totalResult?: string; readonly hasMoreThanTotal?: boolean };
  readonly result?: readonly Item[];
}

export const pageOptions = new Command()
  .option('--limit <n>', 'number of entries to list', wholeNumber, 20)
  .option('--offset <n>', 'number of entries to skip', wholeNumber);

export type PageOptions = ReturnType<typeof pageOptions.opts>;

/** One page of a list that is read by GET. */
export async function getPage<Item>(client: ApiClient, path: string, { limit, offset }: PageOptions) {
  return await client.get<Page<Item>>(path, { limit: String(limit), ...offsetOf(offset) });
}

/** One page of a list that is searched by POST. */
export async function searchPage<Item>(client: ApiClient, path: string, { limit, offset }: PageOptions) {
  return await client.post<Page<Item>>(path, { query: { limit, ...offsetOf(offset) } });
}

function offsetOf(offset: number | undefined): { readonly offset?: string } {
  return offset === undefined ? {} : { offset: String(offset) };
}
