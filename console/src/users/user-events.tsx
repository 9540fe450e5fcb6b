import { Button, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { words } from '../app/words.ts';
import { EventTable } from '../events/event-table.tsx';
import { findEvents } from '../events/events.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { Unread } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { Empty } from '../shared/list.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { IN_TIME, useSorting } from '../shared/sorting.tsx';
import { useSteps } from '../shared/steps.ts';

const t = words({ en, de });
const WHICH = ['of', 'by'] as const;

/** What happened to an account, or what its user did. */
export function UserEvents({ org, id }: { readonly org: string; readonly id: string }) {
  const [{ events }, setFilters] = useFilters();
  const which = events === 'by' ? 'by' : 'of';
  const filters = which === 'by' ? { actor: id } : { aggregate: 'user', id };
  const { sorting, sorted } = useSorting(IN_TIME);
  const list = useInfiniteQuery({
    queryKey: ['events', { org }, filters, sorted],
    queryFn: async ({ pageParam }) => await findEvents({ org }, filters, pageParam, sorted.asc),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const rows = list.data?.pages.flatMap(({ result = [] }) => result);
  const { visible, hasMore, onMore } = useSteps(rows ?? [], {
    hasMore: list.hasNextPage,
    onMore: () => void list.fetchNextPage(),
  });
  return (
    <>
      <Text c="dimmed" mb="md">
        {t.events.lead}
      </Text>
      <Group mb="md" justify="space-between">
        <SegmentedControl
          aria-label={t.events.which}
          data={WHICH.map((value) => ({ value, label: t.events[value] }))}
          value={which}
          onChange={(value) => setFilters({ events: value === 'by' ? 'by' : undefined })}
        />
        <AppLink size="sm" to="/orgs/$org/events" params={{ org }} search={filters}>
          {t.events.all}
        </AppLink>
      </Group>
      <Unread found={list} />
      {rows === undefined && !list.error && <LoadingRows />}
      {rows?.length === 0 && (
        <Paper p="xl">
          <Empty title={t.events.none} text={t.events.noneText} />
        </Paper>
      )}
      {rows !== undefined && rows.length > 0 && (
        <Stack gap="xs">
          <EventTable title={t.tabs.events} rows={visible} home={org} sorting={sorting} />
          {hasMore && (
            <Group justify="flex-end">
              <Button variant="default" loading={list.isFetchingNextPage} onClick={onMore}>
                {t.events.more}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </>
  );
}
