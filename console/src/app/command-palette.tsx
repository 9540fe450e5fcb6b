import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { Icon } from '../shared/icon.tsx';
import { findUsers, nameOf } from '../users/users.ts';
import { paletteStore } from './palette.ts';
import { useMay } from './permissions.ts';
import type { Place } from './place.ts';
import { words } from './words.ts';

const t = words({ en, de });

/** Goes to places by their name, and to users by anything that is known of them. */
export function CommandPalette({
  orgId,
  places,
}: {
  readonly orgId: string;
  readonly places: readonly Place[];
}) {
  const navigate = useNavigate();
  const may = useMay(orgId);
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 200);
  const { data: found = [] } = useQuery({
    queryKey: ['palette', orgId, wanted],
    queryFn: async () => (await findUsers(orgId, { search: wanted, limit: 8 })).result,
    enabled: wanted.length >= 2 && may('user.read'),
  });
  const actions: SpotlightActionData[] = places
    .filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ path, label, key }) => ({
      id: path,
      label,
      ...(key !== undefined && { rightSection: <kbd>g {key}</kbd> }),
      onClick: () => void navigate({ to: path }),
    }));
  const people: SpotlightActionData[] = found.map((user) => ({
    id: user.id,
    label: nameOf(user),
    description: user.preferredLoginName,
    onClick: () =>
      void navigate({
        to: user.machine === undefined ? '/orgs/$org/users/$user' : '/orgs/$org/service-users/$user',
        params: { org: orgId, user: user.id },
      }),
  }));
  return (
    <Spotlight
      store={paletteStore}
      actions={[
        ...(actions.length > 0 ? [{ group: t.name, actions }] : []),
        ...(people.length > 0 ? [{ group: t.nav.users, actions: people }] : []),
      ]}
      query={typed}
      onQueryChange={setTyped}
      // what is shown was chosen above
      filter={(_, all) => all}
      shortcut={['mod + K']}
      scrollable
      highlightQuery
      nothingFound={t.lost.text}
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: t.nav.search,
        'aria-label': t.nav.search,
      }}
    />
  );
}
