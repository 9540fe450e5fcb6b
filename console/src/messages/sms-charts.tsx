import { Group, SimpleGrid, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answered, api, type Answered } from '../api/client.ts';
import { numberOf, region } from '../app/words.ts';
import { Unread } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { List, type Column } from '../shared/list.tsx';
import { Section } from '../shared/section.tsx';
import { ChartCard } from '../statistics/chart.tsx';
import { RangeSwitch } from '../statistics/range-switch.tsx';
import { labelOf, t, timeZone, useRange, useStatistics } from '../statistics/statistics.ts';

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

interface SmsChartsProperties {
  /** Undefined for the whole instance. */
  readonly org: string | undefined;
}

/** What SMS there were and what they cost; nothing where there were none. */
export function SmsCharts({ org }: SmsChartsProperties) {
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
      {org === undefined && <SmsByOrganization hasCosts={month.smsCost > 0} />}
    </>
  );
}

type Spender = Answered<'/admin/v1/statistics/sms_by_organization', 'get'>['organizations'][number];

/** Which organizations the SMS of the instance are of, those that cost most first. */
function SmsByOrganization({ hasCosts }: { readonly hasCosts: boolean }) {
  const [range] = useRange();
  const found = useQuery({
    queryKey: ['statistics', 'instance', 'sms', range],
    queryFn: async () =>
      await answered(
        api.GET('/admin/v1/statistics/sms_by_organization', { params: { query: { range, timeZone } } }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Section title={t.sms.byOrganization} lead={t.sms.byOrganizationLead}>
      <List
        label={t.sms.byOrganization}
        columns={hasCosts ? [...COLUMNS, COST] : COLUMNS}
        rows={found.data?.organizations}
        keyOf={({ id }) => id}
        error={found.error}
        onRetry={() => void found.refetch()}
        isWhole
        empty={<Text c="dimmed">{t.empty}</Text>}
      />
    </Section>
  );
}

const COLUMNS: readonly Column<Spender>[] = [
  {
    label: t.sms.organization,
    cell: ({ id, name }) => (
      <AppLink to="/orgs/$org/messages" params={{ org: id }} search={{ channel: 'sms' }}>
        {name}
      </AppLink>
    ),
  },
  { label: t.sms.admitted, cell: ({ smsAdmitted }) => numberOf(smsAdmitted), width: 140 },
  { label: t.sms.refused, cell: ({ smsRefused }) => numberOf(smsRefused), wide: true, width: 180 },
];
const COST: Column<Spender> = { label: t.sms.spend, cell: ({ smsCost }) => spent(smsCost), width: 120 };
