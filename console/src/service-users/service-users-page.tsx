import { Group, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/service-users.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/service-users.json';
import shared from '../../../locales/console/en/shared.json';
import { useMay } from '../app/permissions.ts';
import { since, words } from '../app/words.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { EmptyList, List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { findUsers, nameOf, SERVICE_USER_ORDERS, USER_STATES, type User } from '../users/users.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** A service user has no password, and so none that is missing. */
const STATES = Object.entries(USER_STATES).filter(([state]) => state !== 'USER_STATE_INITIAL');

/** The accounts of programs in an organization. */
export function ServiceUsersPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const [{ search, state }] = useFilters();
  const { sorting, sorted } = useSorting(SERVICE_USER_ORDERS);
  const pages = usePagesByCursor<User>(
    ['users', org, 'machines', { search, state }],
    async (cursor) => await findUsers(org, { search, state, type: 'TYPE_MACHINE', sorted, cursor }),
    { sorted },
  );
  const add = may('user.write') && (
    <ButtonLink to="/orgs/$org/service-users/new" params={{ org }}>
      {t.add}
    </ButtonLink>
  );
  return (
    <div className="console-page">
      <PageHead title={t.title} lead={t.lead} actions={add} />
      <Group mb="md" gap="sm">
        <SearchField label={t.search} />
        <StateFilter states={STATES.map(([value, { label }]) => [value, label])} />
      </Group>
      <List
        label={t.title}
        columns={columns(org)}
        {...pages}
        sorting={sorting}
        keyOf={({ id }) => id}
        empty={
          <EmptyList filters={['search', 'state']} title={t.empty.title} text={t.empty.text} action={add} />
        }
      />
    </div>
  );
}

function columns(org: string): readonly Column<User>[] {
  return [
    {
      label: s.list.name,
      sort: 'name',
      cell: (user) => (
        <>
          <AppLink className="row-link" to="/orgs/$org/service-users/$user" params={{ org, user: user.id }}>
            {nameOf(user)}
          </AppLink>
          <Text size="sm" c="dimmed">
            {user.userName}
          </Text>
        </>
      ),
    },
    { label: t.fields.description, cell: ({ machine }) => machine?.description, wide: true },
    { label: s.list.state, cell: ({ state }) => <State {...USER_STATES[state]} />, width: 140 },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: 'widest',
      width: 140,
    },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 160 },
  ];
}
