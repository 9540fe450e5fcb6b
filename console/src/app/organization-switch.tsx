import { Button, Combobox, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { answered, api } from '../api/client.ts';
import { Icon } from '../shared/icon.tsx';
import { useMayInInstance, useOwnPermissions } from './permissions.ts';
import { words } from './words.ts';

const t = words({ en, de });
const MOST = 20;

interface Choice {
  readonly id: string;
  readonly name: string;
}

/** The organization that the address is about. Whoever may look at the instance finds all of them, others their own. */
export function OrganizationSwitch({ orgId }: { readonly orgId: string }) {
  const { data: own } = useOwnPermissions();
  const seesAll = useMayInInstance()('iam.read');
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 200);
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => setTyped(''),
  });
  const navigate = useNavigate();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const current = useOrganizationName(orgId);
  const { data: all } = useQuery({
    queryKey: ['organizations', 'switch', wanted],
    queryFn: async () => await searchOrganizations(wanted),
    enabled: seesAll && combobox.dropdownOpened,
  });
  const choices: readonly Choice[] = seesAll
    ? (all ?? [])
    : (own?.organizations ?? []).filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  if (!seesAll && (own?.organizations.length ?? 0) < 2) {
    return (
      <Text fw={600} truncate>
        {current}
      </Text>
    );
  }
  return (
    <Combobox
      store={combobox}
      width={300}
      position="bottom-start"
      // in the header, which is a landmark: what stands beside all of them is found by nobody who goes from one to the next
      withinPortal={false}
      onOptionSubmit={(id) => {
        combobox.closeDropdown();
        // the same page there; what was chosen of it is of the other organization
        const section = /^\/(?:console\/)?orgs\/[^/]+(\/[a-z-]+)?/.exec(pathname)?.[1] ?? '';
        void navigate({ to: `/orgs/${id}${section}` });
      }}
    >
      <Combobox.Target targetType="button">
        <Button
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          px="xs"
          rightSection={<Icon name="chevron" size={14} />}
          onClick={() => combobox.toggleDropdown()}
          aria-label={`${t.nav.switch}: ${current}`}
          maw={280}
        >
          <Text span truncate fw={600}>
            {current}
          </Text>
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          placeholder={t.nav.switchSearch}
          aria-label={t.nav.switchSearch}
        />
        <Combobox.Options mah={320} style={{ overflowY: 'auto' }} aria-label={t.nav.switch}>
          {choices.map(({ id, name }) => (
            <Combobox.Option key={id} value={id} active={id === orgId}>
              {name}
            </Combobox.Option>
          ))}
          {choices.length === 0 && <Combobox.Empty>{t.nav.noOrganization}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

async function searchOrganizations(name: string): Promise<readonly Choice[]> {
  const queries =
    name === '' ? [] : [{ nameQuery: { name, method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' as const } }];
  const body = { query: { limit: MOST, asc: true }, queries };
  return (await answered(api.POST('/admin/v1/orgs/_search', { body }))).result ?? [];
}

/** As those call it who may look at it. */
function useOrganizationName(orgId: string): string {
  const { data: own } = useOwnPermissions();
  const known = own?.organizations.find(({ id }) => id === orgId)?.name;
  const { data } = useQuery({
    queryKey: ['organizations', orgId, 'name'],
    queryFn: async () =>
      (
        await answered(
          api.GET('/management/v1/orgs/me', { params: { header: { 'x-zitadel-orgid': orgId } } }),
        )
      ).org.name,
    enabled: own !== undefined && known === undefined && orgId !== '',
  });
  return known ?? data ?? '';
}
