import { Combobox, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { useMayInInstance, useOwnPermissions } from './permissions.ts';
import { untilThere } from './queries.ts';
import { searchOrganizations } from './search-organizations.ts';
import { words } from './words.ts';

const t = words({ en, de });

interface Choice {
  readonly id: string;
  readonly name: string;
}

interface OrganizationChoiceProperties {
  readonly orgId: string;
  /** What it hangs from. */
  readonly target: (onClick: () => void) => ReactElement;
}

/** The organizations to choose from, open as soon as it is there. Whoever may look at the instance finds all of them, others their own. */
export function OrganizationChoice({ orgId, target }: OrganizationChoiceProperties) {
  const { data: own } = useOwnPermissions();
  const seesAll = useMayInInstance()('iam.read');
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 200);
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => setTyped(''),
  });
  const { openDropdown } = combobox;
  // it was asked for by the click that had it loaded
  // oxlint-disable-next-line react/exhaustive-deps
  useEffect(() => openDropdown(), []);
  const navigate = useNavigate();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const { data: all } = useQuery({
    queryKey: ['organizations', 'switch', wanted],
    queryFn: async () => await searchOrganizations(wanted),
    enabled: seesAll && combobox.dropdownOpened,
    refetchInterval: untilThere,
  });
  // nothing is said of a name before the service has answered
  const isKnown = !seesAll || all !== undefined;
  const choices: readonly Choice[] = seesAll
    ? (all ?? [])
    : (own?.organizations ?? []).filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
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
      <Combobox.Target targetType="button">{target(() => combobox.toggleDropdown())}</Combobox.Target>
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
          {choices.length === 0 && isKnown && <Combobox.Empty>{t.nav.noOrganization}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
