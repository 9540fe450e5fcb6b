import { Button, Group, Paper, Stack, Switch, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/events.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/events.json';
import shared from '../../../locales/console/en/shared.json';
import { useMay, useMe } from '../app/permissions.ts';
import { every } from '../app/queries.ts';
import { say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { Unread } from '../shared/found.tsx';
import { Empty } from '../shared/list.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { saveStream } from '../shared/save-stream.ts';
import { IN_TIME, useSorting } from '../shared/sorting.tsx';
import { useSteps } from '../shared/steps.ts';
import { EventFilters } from './event-filters.tsx';
import { EventTable } from './event-table.tsx';
import { findEvents, streamEvents, type EventFilters as Filters, type Scope } from './events.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const LIVE_MS = 3000;
const NO_FILTERS = {
  type: undefined,
  aggregate: undefined,
  id: undefined,
  actor: undefined,
  organization: undefined,
  from: undefined,
  to: undefined,
};

/** The audit log of an organization. */
export function EventsPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  return <Log scope={{ org }} home={org} title={t.title} lead={t.lead} mayPickUsers={may('user.read')} />;
}

/** The audit log of the instance, with that of all organizations. */
export function InstanceEventsPage() {
  const { data: me } = useMe();
  return (
    <Log
      scope="instance"
      home={me?.details.resourceOwner ?? ''}
      title={t.instanceTitle}
      lead={t.instanceLead}
      mayPickUsers={false}
    />
  );
}

interface LogProperties {
  readonly scope: Scope;
  readonly home: string;
  readonly title: string;
  readonly lead: string;
  readonly mayPickUsers: boolean;
}

function Log({ scope, home, title, lead, mayPickUsers }: LogProperties) {
  const [{ type, aggregate, id, actor, organization, from, to, live }, setFilters] = useFilters();
  const filters: Filters = { type, aggregate, id, actor, organization, from, to };
  const isLive = live === 'true';
  const { sorting, sorted } = useSorting(IN_TIME);
  const list = useInfiniteQuery({
    queryKey: ['events', scope, filters, isLive, isLive || sorted],
    queryFn: async ({ pageParam }) => await findEvents(scope, filters, pageParam, !isLive && sorted.asc),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // live is the newest page, over and over
    refetchInterval: isLive ? every(LIVE_MS) : false,
    placeholderData: keepPreviousData,
  });
  const save = useAct({
    call: async () => await saveStream(await streamEvents(scope, filters), 'events.ndjson'),
    stale: [],
    done: t.exported,
  });
  const rows = list.data?.pages.flatMap(({ result = [] }) => result);
  const { visible, hasMore, onMore } = useSteps(rows ?? [], {
    hasMore: list.hasNextPage && !isLive,
    onMore: () => void list.fetchNextPage(),
  });
  const isFiltered = Object.values(filters).some((value) => (value ?? '') !== '');
  return (
    <div className="console-page">
      <PageHead
        title={title}
        lead={lead}
        actions={
          <>
            <Switch
              label={t.live}
              description={isLive ? t.liveHelp : undefined}
              checked={isLive}
              onChange={({ currentTarget }) =>
                setFilters({ live: currentTarget.checked ? 'true' : undefined })
              }
            />
            <Confirm
              label={t.export}
              title={t.exportTitle}
              text={t.exportText}
              isWorking={save.isPending}
              onConfirm={() => save.mutate()}
            />
          </>
        }
      />
      <EventFilters scope={scope} mayPickUsers={mayPickUsers} filters={filters} onChange={setFilters} />
      <Unread found={list} />
      {rows === undefined && !list.error && <LoadingRows />}
      {rows?.length === 0 && (
        <Paper p="xl">
          {isFiltered ? (
            <Empty
              title={s.list.nothingFits}
              text={s.list.nothingFitsText}
              action={
                <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
                  {s.list.clear}
                </Button>
              }
            />
          ) : (
            <Empty title={t.empty.title} text={t.empty.text} />
          )}
        </Paper>
      )}
      {rows !== undefined && rows.length > 0 && (
        <Stack gap="xs">
          <EventTable title={title} rows={visible} home={home} {...(!isLive && { sorting })} />
          <Group justify="space-between">
            <Text size="sm" c="dimmed" aria-live="polite">
              {say(t.shown, { count: visible.length })}
            </Text>
            {hasMore && (
              <Button variant="default" loading={list.isFetchingNextPage} onClick={onMore}>
                {sorted.asc ? t.moreNew : t.more}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </div>
  );
}
