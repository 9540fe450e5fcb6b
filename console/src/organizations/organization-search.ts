import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useOrganizationName } from '../app/organization-name.ts';
import { untilThere } from '../app/queries.ts';
import { searchOrganizations } from '../app/search-organizations.ts';
import { useTyped } from '../shared/found-select.tsx';

/** What a field needs that picks one of all organizations. @param enabled whether the reader may look at the instance */
export function useOrganizationSearch(value: string, enabled = true) {
  const { wanted, ...search } = useTyped();
  const chosen = useOrganizationName(value);
  const { data = [] } = useQuery({
    queryKey: ['organizations', 'choice', wanted],
    queryFn: async () => await searchOrganizations(wanted),
    refetchInterval: untilThere,
    enabled,
    placeholderData: keepPreviousData,
  });
  return { search, chosen, found: data.map(({ id, name }) => ({ value: id, label: name })) };
}
