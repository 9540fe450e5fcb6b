import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/queues.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/queues.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, type Answered } from '../api/client.ts';
import { every } from '../app/queries.ts';
import { numberOf, say, since, words } from '../app/words.ts';
import { Icon } from '../shared/icon.tsx';
import { Empty, List, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { State } from '../shared/state.tsx';
import { useSortedRows } from '../shared/whole-list.ts';
import { Throughput } from './throughput.tsx';
import { Workers } from './workers.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
/** Workers are heard at least so often; whoever is not heard for longer is gone. */
const LATE_SECONDS = 180;

type Queue = Answered<'/admin/v1/queues', 'get'>['result'][number];

/** How full the queues are, and whether anybody works on them. Single jobs are on the dashboard. */
export function QueuesPage() {
  const list = useQuery({
    queryKey: ['queues'],
    queryFn: async () => (await answered(api.GET('/admin/v1/queues'))).result,
    refetchInterval: every(5000),
  });
  const { rows, sorting } = useSortedRows(list.data, {
    name: nameOf,
    waiting: ({ counts }) => counts?.waiting,
    failed: ({ counts }) => counts?.failed,
  });
  return (
    <div className="console-page">
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          <Button
            component="a"
            href="/admin/queues"
            variant="default"
            rightSection={<Icon name="external" size={14} />}
          >
            {t.dashboard}
          </Button>
        }
      />
      <List
        label={t.title}
        columns={COLUMNS}
        rows={rows}
        sorting={sorting}
        keyOf={({ name }) => name}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<Empty title={t.empty.title} text={t.empty.text} />}
        isWhole
      />
      <Workers />
      <Throughput />
    </div>
  );
}

function nameOf({ name }: Pick<Queue, 'name'>): string {
  return (t.names as Readonly<Record<string, string>>)[name] ?? name;
}

const COLUMNS: readonly Column<Queue>[] = [
  {
    label: t.name,
    sort: 'name',
    cell: ({ name, isPaused, counts }) => (
      <Stack gap={2} align="flex-start">
        <Text fw={600}>{nameOf({ name })}</Text>
        {isPaused === true && <State tone="warning" label={t.paused} />}
        {counts === undefined && <State tone="bad" label={t.away} />}
      </Stack>
    ),
  },
  {
    label: t.waiting,
    sort: 'waiting',
    sortWords: s.list.countOrder,
    cell: ({ counts }) => counted(counts?.waiting),
    width: 100,
  },
  {
    label: t.active,
    cell: ({ counts }) => counted(counts?.active),
    wide: true,
    width: 100,
  },
  {
    label: t.delayed,
    cell: ({ counts }) => counted(counts?.delayed),
    wide: 'widest',
    width: 100,
  },
  {
    label: t.failed,
    sort: 'failed',
    sortWords: s.list.countOrder,
    cell: ({ counts }) =>
      (counts?.failed ?? 0) > 0 ? (
        <State tone="bad" label={counted(counts?.failed)} />
      ) : (
        counted(counts?.failed)
      ),
    width: 130,
  },
  {
    label: t.completed,
    cell: ({ counts }) => counted(counts?.completed),
    wide: true,
    width: 150,
  },
  { label: t.worker, cell: ({ heartbeatAge }) => <Worker age={heartbeatAge} />, wide: true, width: 220 },
];

function counted(count: number | undefined): string {
  return count === undefined ? '–' : numberOf(count);
}

function Worker({ age }: { readonly age: string | undefined }) {
  if (age === undefined)
    return (
      <Text size="sm" c="dimmed">
        {t.none}
      </Text>
    );
  const seconds = Number(age.replace('s', ''));
  const at = since(new Date(Date.now() - seconds * 1000).toISOString());
  return seconds > LATE_SECONDS ? (
    <State tone="bad" label={say(t.late, { since: at })} />
  ) : (
    <Text size="sm">{say(t.working, { since: at })}</Text>
  );
}
