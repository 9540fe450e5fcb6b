import { useQuery } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';

export interface Allowed {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

export interface OwnOrganization extends Allowed {
  readonly id: string;
  readonly name: string;
}

/** Names of permissions are those of the OpenAPI document's `x-permission`. */
export type May = (permission: string) => boolean;

export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: async () => (await answered(api.GET('/auth/v1/users/me'))).user,
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

/** What the visitor may do in one organization, by roles there and in the instance. */
export function useMay(orgId: string): May {
  const { data } = useOwnPermissions();
  const there = data?.organizations.find(({ id }) => id === orgId)?.permissions ?? [];
  const everywhere = data?.instance.permissions ?? [];
  return (permission) => there.includes(permission) || everywhere.includes(permission);
}

/** In the instance itself. */
export function useMayInInstance(): May {
  const { data } = useOwnPermissions();
  const everywhere = data?.instance.permissions ?? [];
  return (permission) => everywhere.includes(permission);
}
