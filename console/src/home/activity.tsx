import { Group, SegmentedControl, Title } from '@mantine/core';
import { useMayInInstance } from '../app/permissions.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { ChartCard, Charts } from '../statistics/chart.tsx';
import { RangeSwitch } from '../statistics/range-switch.tsx';
import { labelOf, t, useRange, useStatistics } from '../statistics/statistics.ts';

const CHARTS = [
  {
    title: t.signIns.title,
    series: [
      { key: 'signInsSucceeded', label: t.signIns.succeeded },
      { key: 'signInsRefused', label: t.signIns.refused },
    ],
  },
  { title: t.users.title, series: [{ key: 'newUsers', label: t.users.added }] },
  {
    title: t.messages.title,
    series: [
      { key: 'messagesSent', label: t.messages.sent },
      { key: 'messagesFailed', label: t.messages.failed },
    ],
  },
  { title: t.tokens.title, series: [{ key: 'tokensIssued', label: t.tokens.issued }] },
] as const;

/** What happened lately, in the organization or in all of them. */
export function Activity({ org }: { readonly org: string }) {
  const mayInInstance = useMayInInstance();
  const [{ of }, setFilters] = useFilters();
  const isOfInstance = of === 'instance' && mayInInstance('iam.events.read');
  const [range] = useRange();
  const { data, error, refetch } = useStatistics(isOfInstance ? undefined : org, range);
  const points = data?.periods.map(({ start, ...values }) => ({ label: labelOf(start, range), values }));
  return (
    <section aria-label={t.title}>
      <Group justify="space-between" mb="md" mt="xl">
        <Title order={2} size="h4">
          {t.title}
        </Title>
        <Group gap="sm">
          {mayInInstance('iam.events.read') && (
            <SegmentedControl
              aria-label={t.of}
              data={[
                { value: 'organization', label: t.organization },
                { value: 'instance', label: t.instance },
              ]}
              value={isOfInstance ? 'instance' : 'organization'}
              onChange={(value) => setFilters({ of: value === 'instance' ? value : undefined })}
            />
          )}
          <RangeSwitch />
        </Group>
      </Group>
      <Charts mb="xl">
        {CHARTS.map(({ title, series }) => (
          <ChartCard
            key={title}
            title={title}
            series={series}
            points={points}
            error={error}
            onRetry={() => void refetch()}
          />
        ))}
      </Charts>
    </section>
  );
}
