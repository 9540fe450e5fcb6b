import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { untilThere } from '../app/queries.ts';
import { say, words } from '../app/words.ts';
import { inWords } from '../shared/durations.ts';
import { AppLink } from '../shared/links.tsx';

const { lifetimes: t } = words({ en, de });

/** How long tokens of an application are valid, and where that is set: for all applications of the organization. */
export function TokenLifetimes({ org }: { readonly org: string }) {
  const mayRead = useMay(org)('policy.read');
  const { data } = useQuery({
    queryKey: ['applications', org, 'lifetimes'],
    queryFn: async () =>
      (await answered(api.GET('/management/v1/policies/tokens', { params: inOrganization(org) }))).policy,
    enabled: mayRead,
    refetchInterval: untilThere,
    // whoever comes back from where they are set sees them
    staleTime: 0,
  });
  if (data === undefined) return t.where;
  return (
    <>
      {say(t.are, {
        access: inWords(data.accessTokenLifetime),
        id: inWords(data.idTokenLifetime),
        idle: inWords(data.refreshTokenIdleExpiration),
        refresh: inWords(data.refreshTokenExpiration),
      })}{' '}
      <AppLink size="sm" underline="always" to="/orgs/$org/sign-in/tokens" params={{ org }}>
        {t.set}
      </AppLink>
    </>
  );
}
