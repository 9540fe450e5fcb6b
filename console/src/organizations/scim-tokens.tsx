import { Checkbox } from '@mantine/core';
import de from '../../../locales/console/de/organizations.json';
import en from '../../../locales/console/en/organizations.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { momentOf, words } from '../app/words.ts';
import { expiryOf } from '../credentials/expiry.tsx';
import { OrganizationTokens, tokensQuery, type NewTokenValues } from './organization-tokens.tsx';

const t = words({ en, de }).scim;

interface ScimTokensProperties {
  readonly org: string;
  readonly mayWrite: boolean;
}

const NEW: NewTokenValues & { readonly trustsEmails: boolean } = {
  name: '',
  projectId: '',
  trustsEmails: false,
  lifetime: '365',
};

/** The tokens by which directories (Entra ID, Okta) provision the users of the organization. */
export function ScimTokens({ org, mayWrite }: ScimTokensProperties) {
  const params = inOrganization(org);
  return (
    <OrganizationTokens
      org={org}
      mayWrite={mayWrite}
      kind="scim-tokens"
      address={`${location.origin}/scim/v2/${org}`}
      words={t}
      wire="SCIM_TOKEN"
      find={async (search) => {
        const query = tokensQuery('SCIM_TOKEN', search);
        return await answered(
          api.GET('/management/v1/orgs/me/scim_tokens', { params: { ...params, query } }),
        );
      }}
      add={async ({ name, projectId, trustsEmails, lifetime }) =>
        await answered(
          api.POST('/management/v1/orgs/me/scim_tokens', {
            params,
            body: { name, trustsEmails, ...(projectId !== '' && { projectId }), ...expiryOf(lifetime) },
          }),
        )
      }
      remove={async (scimTokenId) =>
        await answered(
          api.DELETE('/management/v1/orgs/me/scim_tokens/{scimTokenId}', {
            params: { ...params, path: { scimTokenId } },
          }),
        )
      }
      column={{
        label: t.lastUsed,
        cell: ({ lastUsed }) => (lastUsed === undefined ? t.never : momentOf(lastUsed)),
      }}
      remarkOf={({ trustsEmails }) => (trustsEmails === true ? t.trusted : undefined)}
      initial={NEW}
      noProject={t.noProject}
      fields={(form) => (
        <Checkbox
          label={t.trustsEmails}
          description={t.trustsEmailsHelp}
          {...form.getInputProps('trustsEmails', { type: 'checkbox' })}
        />
      )}
    />
  );
}
