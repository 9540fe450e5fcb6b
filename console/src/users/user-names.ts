import { useQuery } from '@tanstack/react-query';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { untilThere } from '../app/queries.ts';
import { nameOf } from './users.ts';

/** As many as the search takes. */
const MOST = 100;

type Waiting = Map<
  string,
  { readonly resolve: (name: string | null) => void; readonly reject: (error: unknown) => void }[]
>;
const waiting = new Map<string, Waiting>();

/** The names that a page asks for at one moment are one call. */
async function findName(org: string, id: string): Promise<string | null> {
  return await new Promise((resolve, reject) => {
    let ofOrg = waiting.get(org);
    if (ofOrg === undefined) {
      ofOrg = new Map();
      waiting.set(org, ofOrg);
      setTimeout(() => void ask(org), 10);
    }
    ofOrg.set(id, [...(ofOrg.get(id) ?? []), { resolve, reject }]);
  });
}

async function ask(org: string): Promise<void> {
  const asked = [...(waiting.get(org) ?? [])];
  waiting.delete(org);
  for (let from = 0; from < asked.length; from += MOST) {
    const some = asked.slice(from, from + MOST);
    try {
      const names = await namesOf(
        org,
        some.map(([id]) => id),
      );
      for (const [id, all] of some) for (const { resolve } of all) resolve(names.get(id) ?? null);
    } catch (error) {
      for (const [, all] of some) for (const { reject } of all) reject(error);
    }
  }
}

async function namesOf(org: string, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const body = { query: { limit: MOST }, queries: [{ inUserIdsQuery: { userIds } }] };
  const { result = [] } = await answered(
    api.POST('/management/v1/users/_search', { params: inOrganization(org), body }),
  );
  return new Map(result.map((user) => [user.id, nameOf(user)]));
}

/** A user of an organization as far as their name is known. */
interface FoundName {
  /** Null for one who is gone or elsewhere; undefined before it is known, and where it is not for the visitor to see. */
  readonly name: string | null | undefined;
  /** It is being asked for. */
  readonly isLoading: boolean;
}

/** The name of a user, and whether it is still to come. */
export function useFoundName(org: string, id: string | undefined): FoundName {
  const mayRead = useMay(org)('user.read');
  const { data, isLoading } = useQuery({
    queryKey: ['users', org, 'name', id],
    queryFn: async () => await findName(org, id ?? ''),
    enabled: mayRead && org !== '' && id !== undefined && id !== '',
    staleTime: 300_000,
    refetchInterval: untilThere,
    retry: false,
  });
  return { name: data, isLoading };
}

/** The name of a user of an organization; null for one who is gone or elsewhere, undefined before it is known. */
export function useUserName(org: string, id: string | undefined): string | null | undefined {
  return useFoundName(org, id).name;
}
