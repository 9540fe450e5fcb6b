import { useNavigate, useSearch } from '@tanstack/react-router';

/** The filters of a list, as its address has them. Setting one replaces the address: the back button leaves the list. */
export function useFilters(): readonly [
  Readonly<Partial<Record<string, string>>>,
  (changes: Readonly<Record<string, string | undefined>>) => void,
] {
  const search: Readonly<Partial<Record<string, string>>> = useSearch({ strict: false });
  const navigate = useNavigate();
  function set(changes: Readonly<Record<string, string | undefined>>): void {
    void navigate({
      to: '.',
      search: (old: Readonly<Partial<Record<string, string>>>) =>
        Object.fromEntries(
          Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
        ),
      replace: true,
    } as never);
  }
  return [search, set];
}
