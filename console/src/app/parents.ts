import { createRootRoute, createRoute } from '@tanstack/react-router';

/**
 * The routes above all others. An address names the organization that a page is about and, for lists, what they are filtered
 * by, so that it can be sent to a colleague. What stands around the pages is put in by the router: it knows the places, which
 * know the routes below these.
 */

/** What a list's address holds: its filters, and where in it one is. */
type ListSearch = Readonly<Partial<Record<string, string>>>;

/** Texts alone, as the address has them: what they mean is for the page to read. */
function texts(search: Record<string, unknown>): ListSearch {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
        ? [[name, String(value)] as const]
        : [],
    ),
  );
}

export const root = createRootRoute();
export const organization = createRoute({
  getParentRoute: () => root,
  path: '/orgs/$org',
  validateSearch: texts,
});
export const instance = createRoute({ getParentRoute: () => root, path: '/instance', validateSearch: texts });
