import { Stack, Text, Title } from '@mantine/core';
import de from '../../../locales/console/de/queues.json';
import en from '../../../locales/console/en/queues.json';
import { say, since, words } from '../app/words.ts';
import { useHealth, type Worker } from '../home/find-health.ts';
import { Empty, List, type Column } from '../shared/list.tsx';
import { State } from '../shared/state.tsx';

const { workers: t } = words({ en, de });

/** Which worker processes are alive, and which release each of them is. */
export function Workers() {
  const { data, error, refetch } = useHealth();
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
        rows={data?.workers}
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
  { label: t.host, cell: ({ host }) => <Text fw={600}>{host}</Text> },
  { label: t.version, cell: ({ version }) => version, width: 110 },
  { label: t.queues, cell: ({ queues }) => queues.join(', '), wide: true },
  { label: t.started, cell: ({ startedAt }) => since(startedAt), wide: true, width: 160 },
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
