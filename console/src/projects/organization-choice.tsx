import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/projects.json';
import en from '../../../locales/console/en/projects.json';
import { answered, api } from '../api/client.ts';
import { useOrganizationName } from '../app/organization-name.ts';
import { useMayInInstance } from '../app/permissions.ts';
import { untilThere } from '../app/queries.ts';
import { words } from '../app/words.ts';
import { FoundSelect, useTyped } from '../shared/found-select.tsx';

const t = words({ en, de });
const MOST = 20;

interface OrganizationChoiceProperties {
  /** Not among the choices. */
  readonly except: string;
  /** An id or a primary domain, or nothing. */
  readonly value: string;
  readonly onChange: (named: string) => void;
}

/** What names an organization in a grant: an id has no dot in it. */
export function namedOrganization(named: string) {
  return named.includes('.') ? { grantedOrgDomain: named } : { grantedOrgId: named };
}

/** Names another organization: whoever may look at the instance finds it, others type its domain or its id. */
export function OrganizationChoice({ except, value, onChange }: OrganizationChoiceProperties) {
  const seesAll = useMayInInstance()('iam.read');
  const { wanted, ...search } = useTyped();
  const chosen = useOrganizationName(value);
  const { data = [] } = useQuery({
    queryKey: ['organizations', 'choice', wanted],
    queryFn: async () => await searchOrganizations(wanted),
    refetchInterval: untilThere,
    enabled: seesAll,
    placeholderData: keepPreviousData,
  });
  if (!seesAll) {
    return (
      <TextInput
        label={t.grants.domain}
        description={t.grants.domainHelp}
        placeholder="acme.example"
        required
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    );
  }
  const found = data.filter(({ id }) => id !== except).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FoundSelect
      label={t.grants.find}
      description={t.grants.findHelp}
      required
      search={search}
      found={found}
      value={value}
      chosen={chosen}
      onChange={onChange}
    />
  );
}

/** Organizations with these letters in their names, for those who may look at the instance. */
export async function searchOrganizations(name: string) {
  const queries =
    name === '' ? [] : [{ nameQuery: { name, method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' as const } }];
  const body = { query: { limit: MOST, asc: true }, queries };
  return (await answered(api.POST('/admin/v1/orgs/_search', { body }))).result ?? [];
}
