import { useQuery } from '@tanstack/react-query';
import { untilThere } from '../app/queries.ts';
import { findGrantedProjects, findRoles } from './projects.ts';

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

interface NamedGrant {
  readonly grantId: string;
  readonly projectName: string;
}

/** The roles of another organization's project that it lets this one give; it says only their keys. */
export function useGrantedRoleChoices(org: string, grant: NamedGrant | undefined) {
  const { data: roleKeys = [] } = useQuery({
    queryKey: ['projects', org, 'granted', 'choose', grant],
    queryFn: async () => {
      const { result = [] } = await findGrantedProjects(org, { search: grant?.projectName, limit: 500 });
      return result.find(({ grantId }) => grantId === grant?.grantId)?.grantedRoleKeys ?? [];
    },
    enabled: grant !== undefined,
    refetchInterval: untilThere,
  });
  return roleKeys.map((key) => ({ value: key, label: key }));
}
