import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/queues.json';
import en from '../../../locales/console/en/queues.json';
import { answered, api } from '../api/client.ts';
import { every } from '../app/queries.ts';
import { words } from '../app/words.ts';
import { Failure } from '../shared/failure.tsx';
import { ChartCard, Charts } from '../statistics/chart.tsx';
import { RangeSwitch } from '../statistics/range-switch.tsx';
import { labelOf, t as s, timeZone, useRange } from '../statistics/statistics.ts';

const t = words({ en, de });

const SERIES = [
  { key: 'completed', label: s.jobs.completed },
  { key: 'failed', label: s.jobs.failed },
] as const;

/** What each queue got done over time, and what failed. */
export function Throughput() {
  const [range] = useRange();
  const { data, error, refetch } = useQuery({
    queryKey: ['queues', 'statistics', range],
    queryFn: async () =>
      (await answered(api.GET('/admin/v1/queues/statistics', { params: { query: { range, timeZone } } })))
        .result,
    refetchInterval: every(60_000),
  });
  return (
    <section aria-label={t.throughput.title}>
      <Group justify="space-between" mt="xl" mb="md">
        <Stack gap={0}>
          <Title order={2} size="h4">
            {t.throughput.title}
          </Title>
          <Text c="dimmed" size="sm">
            {t.throughput.lead}
          </Text>
        </Stack>
        <RangeSwitch />
      </Group>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      <Charts>
        {(data ?? Object.keys(t.names).map((name) => ({ name, periods: undefined }))).map(
          ({ name, periods }) => (
            <ChartCard
              key={name}
              title={(t.names as Readonly<Record<string, string>>)[name] ?? name}
              series={SERIES}
              points={periods?.map(({ start, ...values }) => ({ label: labelOf(start, range), values }))}
            />
          ),
        )}
      </Charts>
    </section>
  );
}
