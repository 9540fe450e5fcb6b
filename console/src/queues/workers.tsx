import { Stack, Text, Title } from '@mantine/core';
import de from '../../../locales/console/de/queues.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/queues.json';
import shared from '../../../locales/console/en/shared.json';
import { say, since, words } from '../app/words.ts';
import { useHealth, type Worker } from '../home/find-health.ts';
import { Empty, List, type Column } from '../shared/list.tsx';
import { State } from '../shared/state.tsx';
import { timeOf, useSortedRows } from '../shared/whole-list.ts';

const { workers: t } = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** Which worker processes are alive, and which release each of them is. */
export function Workers() {
  const { data, error, refetch } = useHealth();
  const { rows, sorting } = useSortedRows(
    data?.workers,
    {
      host: ({ host }) => host,
      version: ({ version }) => version,
      started: ({ startedAt }) => timeOf(startedAt),
    },
    { parameter: 'sort-workers' },
  );
  return (
    <section aria-label={t.title}>
      <Stack mt="xl" mb="md" gap={2}>
        <Title order={2} size="h4">
          {t.title}
        </Title>
        <Text c="dimmed" size="sm">
          {t.lead}
        </Text>
      </Stack>
      <List
        label={t.title}
        columns={COLUMNS}
        rows={rows}
        sorting={sorting}
        keyOf={({ id }) => id}
        error={data === undefined ? error : undefined}
        onRetry={() => void refetch()}
        empty={<Empty title={t.empty.title} text={t.empty.text} />}
        isWhole
      />
    </section>
  );
}

const COLUMNS: readonly Column<Worker>[] = [
  { label: t.host, sort: 'host', cell: ({ host }) => <Text fw={600}>{host}</Text> },
  { label: t.version, sort: 'version', cell: ({ version }) => version, width: 110 },
  { label: t.queues, cell: ({ queues }) => queues.join(', '), wide: true },
  {
    label: t.started,
    sort: 'started',
    sortWords: s.list.timeOrder,
    cell: ({ startedAt }) => since(startedAt),
    wide: true,
    width: 160,
  },
  {
    label: t.state,
    cell: ({ alive, seenAt }) =>
      alive ? (
        <State tone="good" label={t.alive} />
      ) : (
        <State tone="bad" label={say(t.silent, { since: since(seenAt) })} />
      ),
    width: 200,
  },
];
