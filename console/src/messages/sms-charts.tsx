import { Group, SimpleGrid, Title } from '@mantine/core';
import { region } from '../app/words.ts';
import { Unread } from '../shared/found.tsx';
import { ChartCard } from '../statistics/chart.tsx';
import { RangeSwitch } from '../statistics/range-switch.tsx';
import { labelOf, t, useRange, useStatistics } from '../statistics/statistics.ts';

const SMS = [
  { key: 'smsAdmitted', label: t.sms.admitted },
  { key: 'smsRefused', label: t.sms.refused },
] as const;
const SPEND = [{ key: 'smsCost', label: t.sms.spend }] as const;

const amount = new Intl.NumberFormat(region, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Counted in millionths, of whatever currency `SMS_COSTS` is in. */
function spent(value: number): string {
  return amount.format(value / 1_000_000);
}

/** What SMS there were and what they cost; nothing where there were none. */
export function SmsCharts({ org }: { readonly org: string }) {
  const [range] = useRange();
  const { data, error, refetch } = useStatistics(org, range);
  const lately = useStatistics(org, '30d');
  const month = lately.data?.totals;
  if (month === undefined) return <Unread found={lately} />;
  // an organization without SMS needs no empty charts above its list
  if (month.smsAdmitted + month.smsRefused === 0) return null;
  const read = { error, onRetry: () => void refetch() };
  const points = data?.periods.map(({ start, ...values }) => ({ label: labelOf(start, range), values }));
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t.sms.title}
        </Title>
        <RangeSwitch />
      </Group>
      <SimpleGrid cols={{ base: 1, md: month.smsCost > 0 ? 2 : 1 }} mb="lg">
        <ChartCard title={t.sms.countTitle} series={SMS} points={points} {...read} />
        {month.smsCost > 0 && (
          <ChartCard title={t.sms.spendTitle} series={SPEND} points={points} format={spent} {...read} />
        )}
      </SimpleGrid>
    </>
  );
}
