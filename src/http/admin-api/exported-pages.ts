import type { Page, PageQuery } from '../../domain/shared/page.js';

const PAGE = 500;

/** The pages of a list, oldest first. */
export async function* pagesOf<Item>(
  list: (page: PageQuery) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await list({ offset, limit: PAGE, ascending: true });
    yield items;
    if (items.length < PAGE) return;
  }
}

export async function* each<Item>(list: (page: PageQuery) => Promise<Page<Item>>): AsyncGenerator<Item> {
  for await (const items of pagesOf(list)) yield* items;
}
