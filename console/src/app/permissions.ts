import { useQuery } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { untilThere } from './queries.ts';

export interface Allowed {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

/** Names of permissions are those of the OpenAPI document's `x-permission`. */
export type May = (permission: string) => boolean;

export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: async () => (await answered(api.GET('/auth/v1/users/me'))).user,
    refetchInterval: untilThere,
    staleTime: 60_000,
  });
}

/** Where the visitor may do what. What they may not do is not shown; that it is refused is for the server to see to. */
export function useOwnPermissions() {
  return useQuery({
    queryKey: ['me', 'permissions'],
    queryFn: async () => await answered(api.GET('/auth/v1/users/me/permissions')),
    staleTime: 60_000,
  });
}

export type MayIn = (orgId: string, permission: string) => boolean;

/** What the visitor may do in any organization, by roles there and in the instance. */
export function useMayIn(): MayIn {
  const { data } = useOwnPermissions();
  const everywhere = data?.instance.permissions ?? [];
  return (orgId, permission) =>
    everywhere.includes(permission) ||
    (data?.organizations.find(({ id }) => id === orgId)?.permissions ?? []).includes(permission);
}

/** What the visitor may do in one organization. */
export function useMay(orgId: string): May {
  const mayIn = useMayIn();
  return (permission) => mayIn(orgId, permission);
}

/** In the instance itself. */
export function useMayInInstance(): May {
  const { data } = useOwnPermissions();
  const everywhere = data?.instance.permissions ?? [];
  return (permission) => everywhere.includes(permission);
}
