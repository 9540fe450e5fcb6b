import { NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/organizations.json';
import en from '../../../locales/console/en/organizations.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { expiryOf } from '../credentials/expiry.tsx';
import { OrganizationTokens, type NewTokenValues } from './organization-tokens.tsx';

const t = words({ en, de }).registration;

interface InitialAccessTokensProperties {
  readonly org: string;
  readonly mayWrite: boolean;
}

const NEW: NewTokenValues & { readonly mostUses: number } = {
  name: '',
  projectId: '',
  mostUses: 1,
  lifetime: '30',
};

/** Where applications register; nothing where the instance does not let them. */
async function registrationEndpoint(): Promise<string | null> {
  const discovery = await fetch('/.well-known/openid-configuration');
  if (!discovery.ok) return null;
  const { registration_endpoint: endpoint } = (await discovery.json()) as { registration_endpoint?: string };
  return endpoint ?? null;
}

/** The tokens by which applications register themselves with a project of the organization. */
export function InitialAccessTokens({ org, mayWrite }: InitialAccessTokensProperties) {
  const endpoint = useQuery({ queryKey: ['registration-endpoint'], queryFn: registrationEndpoint });
  const params = inOrganization(org);
  if (typeof endpoint.data !== 'string') return null;
  return (
    <OrganizationTokens
      org={org}
      mayWrite={mayWrite}
      kind="initial-access-tokens"
      address={endpoint.data}
      words={t}
      find={async () =>
        (await answered(api.GET('/management/v1/orgs/me/initial_access_tokens', { params }))).result ?? []
      }
      add={async ({ lifetime, ...values }) =>
        await answered(
          api.POST('/management/v1/orgs/me/initial_access_tokens', {
            params,
            body: { ...values, ...expiryOf(lifetime) },
          }),
        )
      }
      remove={async (initialAccessTokenId) =>
        await answered(
          api.DELETE('/management/v1/orgs/me/initial_access_tokens/{initialAccessTokenId}', {
            params: { ...params, path: { initialAccessTokenId } },
          }),
        )
      }
      column={{
        label: t.uses,
        cell: ({ uses, mostUses }) => say(t.usesOf, { uses, mostUses }),
      }}
      initial={NEW}
      fields={(form) => (
        <NumberInput
          label={t.mostUses}
          description={t.mostUsesHelp}
          required
          min={1}
          max={100_000}
          allowDecimal={false}
          {...form.getInputProps('mostUses')}
        />
      )}
    />
  );
}
