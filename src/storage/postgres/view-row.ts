// SQL by hand: the page of a list with its length, in one statement
import type { Page } from '../../domain/shared/page.js';

/** How long a list is and what can be in it, as a statement that counts says it. */
export type ViewRow = { total: number; viewed_at: Date; newest_change: string };

export const VIEW_COLUMNS = `app_now() AS viewed_at,
  (SELECT last_value::text FROM events_position_seq) AS newest_change`;

export function pageFrom<Item>(items: readonly Item[], view: ViewRow | undefined): Page<Item> {
  if (view === undefined) throw new Error('a statement that counts gives one row');
  return {
    items,
    total: view.total,
    processedSequence: view.newest_change,
    viewedAt: view.viewed_at,
  };
}
