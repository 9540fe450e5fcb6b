import { useQuery } from '@tanstack/react-query';
import { untilThere } from '../app/queries.ts';
import { findRoles } from './projects.ts';

/** The roles of a project, for whoever chooses among them. */
export function useRoleChoices(org: string, project: string | undefined) {
  const { data: roles = [] } = useQuery({
    queryKey: ['projects', org, project, 'roles', 'choose'],
    queryFn: async () => (await findRoles(org, project ?? '', { limit: 500 })).result ?? [],
    enabled: project !== undefined,
    refetchInterval: untilThere,
  });
  return roles.map(({ key, displayName }) => ({
    value: key,
    label: displayName === key ? key : `${displayName} (${key})`,
  }));
}
