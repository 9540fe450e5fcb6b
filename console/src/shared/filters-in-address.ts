import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';

type Search = Readonly<Partial<Record<string, string>>>;

/**
 * The filters of a list, as its address has them. Setting one replaces the address: the back button leaves the list. They count as
 * soon as the address has them, and not once the router has drawn the page again: until then a field that is drawn by them would
 * have its old value back, over what was typed, ticked or pressed since.
 */
export function useFilters(): readonly [
  Search,
  (changes: Readonly<Record<string, string | undefined>>) => void,
] {
  const drawn: Search = useSearch({ strict: false });
  // of the page that is shown: the one that the address leads to may still be on its way
  const asked: Search | undefined = useRouterState({
    select: ({ location, resolvedLocation }) =>
      location.pathname === resolvedLocation?.pathname ? location.search : undefined,
  });
  const navigate = useNavigate();
  function set(changes: Readonly<Record<string, string | undefined>>): void {
    void navigate({
      to: '.',
      search: (old: Search) =>
        Object.fromEntries(
          Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
        ),
      replace: true,
    } as never);
  }
  return [asked ?? drawn, set];
}
