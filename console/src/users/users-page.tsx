import { Group, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { useMay } from '../app/permissions.ts';
import { say, since, words } from '../app/words.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { EmptyList, List, SearchField, StateFilter, type Column, type Selection } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { BulkBar, BulkProgress } from './bulk-actions.tsx';
import { LoginName } from './login-name.tsx';
import { findUsers, nameOf, USER_ORDERS, USER_STATES, type User } from './users.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const NOBODY: ReadonlySet<string> = new Set();

/** The people of an organization. */
export function UsersPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const mayWrite = may('user.write');
  const [{ search, state, bulk }, setFilters] = useFilters();
  const [chosen, setChosen] = useState(NOBODY);
  /** All that fit the filters, beyond those that are shown. */
  const [isAll, setAll] = useState(false);
  const filters = {
    type: 'TYPE_HUMAN' as const,
    ...(search !== undefined && { search }),
    ...(isState(state) && { state }),
  };
  const clear = () => {
    setChosen(NOBODY);
    setAll(false);
  };
  // under other filters nobody sees any more who is chosen, and an action must not reach them
  const filtered = JSON.stringify([org, filters]);
  const [chosenUnder, setChosenUnder] = useState(filtered);
  if (chosenUnder !== filtered) {
    setChosenUnder(filtered);
    clear();
  }
  const { sorting, sorted } = useSorting(USER_ORDERS);
  const pages = usePagesByCursor<User>(
    ['users', org, 'list', { search, state }],
    async (cursor) => await findUsers(org, { ...filters, sorted, cursor }),
    { sorted },
  );
  /** Another action has its own list of failures. */
  const show = (id: string | undefined) =>
    setFilters({ bulk: id, failure: undefined, 'sort-failures': undefined });
  const selection: Selection<User> = {
    chosen: isAll ? new Set(pages.rows?.map(({ id }) => id)) : chosen,
    onChange: (ids) => {
      setAll(false);
      setChosen(ids);
    },
    labelOf: (user) => say(t.bulk.choose, { name: nameOf(user) }),
    labelOfAll: t.bulk.chooseAll,
  };
  const add = mayWrite && (
    <>
      {may('user.import') && (
        <ButtonLink variant="default" to="/orgs/$org/imports/new" params={{ org }}>
          {t.import}
        </ButtonLink>
      )}
      <ButtonLink variant="default" to="/orgs/$org/users/invite" params={{ org }}>
        {t.invite.open}
      </ButtonLink>
      <ButtonLink to="/orgs/$org/users/new" params={{ org }}>
        {t.add}
      </ButtonLink>
    </>
  );
  return (
    <div className="console-page">
      <PageHead title={t.title} lead={t.lead} actions={add} />
      {bulk !== undefined && <BulkProgress key={bulk} org={org} id={bulk} onClose={() => show(undefined)} />}
      <Group mb="md" gap="sm">
        <SearchField label={t.search} />
        <StateFilter states={Object.entries(USER_STATES).map(([value, { label }]) => [value, label])} />
      </Group>
      {mayWrite && (
        <BulkBar
          org={org}
          chosen={chosen}
          matching={pages.isMoreThanTotal ? undefined : Number(pages.total ?? 0)}
          isAll={isAll}
          filters={filters}
          onAll={() => setAll(true)}
          onClear={clear}
          onBegun={show}
        />
      )}
      <List
        label={t.title}
        columns={columns(org)}
        {...pages}
        sorting={sorting}
        keyOf={({ id }) => id}
        {...(mayWrite && { selection })}
        empty={
          <EmptyList
            filters={['search', 'state']}
            title={t.empty.title}
            text={t.empty.text}
            action={add && <Group gap="xs">{add}</Group>}
          />
        }
      />
    </div>
  );
}

function isState(state: string | undefined): state is User['state'] {
  return state !== undefined && Object.hasOwn(USER_STATES, state);
}

function columns(org: string): readonly Column<User>[] {
  return [
    {
      label: s.list.name,
      sort: 'name',
      cell: (user) => (
        <>
          <AppLink className="row-link" to="/orgs/$org/users/$user" params={{ org, user: user.id }}>
            {nameOf(user)}
          </AppLink>
          <Text size="sm" c="dimmed">
            <LoginName>{user.preferredLoginName}</LoginName>
          </Text>
        </>
      ),
    },
    {
      label: t.email,
      sort: 'email',
      cell: (user) => <LoginName>{user.human?.email.email ?? ''}</LoginName>,
      wide: true,
    },
    {
      label: s.list.state,
      cell: ({ state }) => <State {...USER_STATES[state]} />,
      width: 140,
    },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: 'widest',
      width: 160,
    },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 160 },
  ];
}
