import { NumberInput } from '@mantine/core';
import de from '../../../locales/console/de/organizations.json';
import en from '../../../locales/console/en/organizations.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { expiryOf } from '../credentials/expiry.tsx';
import { useDiscovery } from '../shared/discovery.ts';
import { OrganizationTokens, tokensQuery, type NewTokenValues } from './organization-tokens.tsx';

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

/** The tokens by which applications register themselves with a project of the organization. */
export function InitialAccessTokens({ org, mayWrite }: InitialAccessTokensProperties) {
  const { registration_endpoint: endpoint } = useDiscovery();
  const params = inOrganization(org);
  if (endpoint === undefined) return null;
  return (
    <OrganizationTokens
      org={org}
      mayWrite={mayWrite}
      kind="initial-access-tokens"
      address={endpoint}
      words={t}
      wire="INITIAL_ACCESS_TOKEN"
      find={async (search) => {
        const query = tokensQuery('INITIAL_ACCESS_TOKEN', search);
        return await answered(
          api.GET('/management/v1/orgs/me/initial_access_tokens', { params: { ...params, query } }),
        );
      }}
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
