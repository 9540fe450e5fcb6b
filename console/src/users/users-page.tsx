import { Button, Group, Select, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { useMay } from '../app/permissions.ts';
import { since, words } from '../app/words.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { Empty, List, SearchField, useFilters, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { State } from '../shared/state.tsx';
import { findUsers, nameOf, USER_STATES, type User } from './users.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const PAGE = 50;

/** The people of an organization. */
export function UsersPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const [{ search, state }, setFilters] = useFilters();
  const list = useInfiniteQuery({
    queryKey: ['users', org, 'list', { search, state }],
    queryFn: async ({ pageParam }) =>
      await findUsers(org, { search, state, type: 'TYPE_HUMAN', limit: PAGE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const isFiltered = (search ?? '') !== '' || (state ?? '') !== '';
  const add = may('user.write') && (
    <ButtonLink to="/orgs/$org/users/new" params={{ org }}>
      {t.add}
    </ButtonLink>
  );
  return (
    <div className="console-page">
      <PageHead title={t.title} lead={t.lead} actions={add} />
      <Group mb="md" gap="sm">
        <SearchField label={t.search} />
        <Select
          aria-label={s.list.state}
          placeholder={s.list.state}
          clearable
          value={state ?? null}
          onChange={(value) => setFilters({ state: value ?? undefined })}
          data={Object.entries(USER_STATES).map(([value, { label }]) => ({ value, label }))}
          w={180}
        />
      </Group>
      <List
        label={t.title}
        columns={columns(org)}
        rows={list.data?.pages.flatMap(({ result }) => result)}
        keyOf={({ id }) => id}
        error={list.error}
        onRetry={() => void list.refetch()}
        total={list.data?.pages[0]?.total}
        isMoreThanTotal={list.data?.pages[0]?.hasMoreThanTotal === true}
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage}
        onMore={() => void list.fetchNextPage()}
        empty={
          isFiltered ? (
            <Empty
              title={s.list.nothingFits}
              text={s.list.nothingFitsText}
              action={
                <Button variant="default" onClick={() => setFilters({ search: undefined, state: undefined })}>
                  {s.list.clear}
                </Button>
              }
            />
          ) : (
            <Empty title={t.empty.title} text={t.empty.text} action={add} />
          )
        }
      />
    </div>
  );
}

function columns(org: string): readonly Column<User>[] {
  return [
    {
      label: s.list.name,
      cell: (user) => (
        <>
          <AppLink className="row-link" to="/orgs/$org/users/$user" params={{ org, user: user.id }}>
            {nameOf(user)}
          </AppLink>
          <Text size="sm" c="dimmed">
            {user.preferredLoginName}
          </Text>
        </>
      ),
    },
    { label: t.email, cell: (user) => user.human?.email.email, wide: true },
    {
      label: s.list.state,
      cell: ({ state }) => <State {...USER_STATES[state]} />,
      width: 140,
    },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 160 },
  ];
}
