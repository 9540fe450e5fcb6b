import { TextInput } from '@mantine/core';
import de from '../../../locales/console/de/projects.json';
import en from '../../../locales/console/en/projects.json';
import { useMayInInstance } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { useOrganizationSearch } from '../organizations/organization-search.ts';
import { FoundSelect } from '../shared/found-select.tsx';

const t = words({ en, de });

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
  const { search, found, chosen } = useOrganizationSearch(value, seesAll);
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
  return (
    <FoundSelect
      label={t.grants.find}
      description={t.grants.findHelp}
      required
      search={search}
      found={found.filter((one) => one.value !== except)}
      value={value}
      chosen={chosen}
      onChange={onChange}
    />
  );
}
