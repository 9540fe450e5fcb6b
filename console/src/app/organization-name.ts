import { useQuery } from '@tanstack/react-query';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMayInInstance, useOwnPermissions } from './permissions.ts';
import { untilThere } from './queries.ts';

/** The name of an organization, for those who may look at it: one's own permissions name only those that one has a role in. */
export function useOrganizationName(id: string): string | undefined {
  const { data: own } = useOwnPermissions();
  const seesAll = useMayInInstance()('iam.read');
  const known = own?.organizations.find((organization) => organization.id === id)?.name;
  const { data } = useQuery({
    queryKey: ['organizations', id, 'name'],
    queryFn: async () =>
      (await answered(api.GET('/management/v1/orgs/me', { params: inOrganization(id) }))).org.name,
    enabled: seesAll && known === undefined && id !== '',
    refetchInterval: untilThere,
  });
  return known ?? data;
}
