import { Group, SimpleGrid, Title } from '@mantine/core';
import { region } from '../app/words.ts';
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
  const { data } = useStatistics(org, range);
  // an organization without SMS needs no empty charts above its list
  const month = useStatistics(org, '30d').data?.totals;
  if (month === undefined || month.smsAdmitted + month.smsRefused === 0) return null;
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
        <ChartCard title={t.sms.countTitle} series={SMS} points={points} />
        {month.smsCost > 0 && (
          <ChartCard title={t.sms.spendTitle} series={SPEND} points={points} format={spent} />
        )}
      </SimpleGrid>
    </>
  );
}
