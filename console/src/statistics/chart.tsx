import {
  Button,
  Group,
  Paper,
  ScrollArea,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { lazy, useState, type ReactNode } from 'react';
import sharedDe from '../../../locales/console/de/shared.json';
import shared from '../../../locales/console/en/shared.json';
import { Later } from '../app/later.tsx';
import { numberOf, say, words } from '../app/words.ts';
import { Failure, NotRead } from '../shared/failure.tsx';
import { useSteps } from '../shared/steps.ts';
import { t, useRange } from './statistics.ts';

const s = words({ en: shared, de: sharedDe });
const Bars = lazy(() => import('./bars.tsx'));

interface Series {
  readonly key: string;
  readonly label: string;
}

export interface Point {
  readonly label: string;
  readonly values: Readonly<Record<string, number>>;
}

export interface ChartProperties {
  readonly points: readonly Point[];
  readonly series: readonly Series[];
  /** What somebody hears who does not see it. */
  readonly summary: string;
  readonly height: number;
  /** Of a value; as a whole number by default. */
  readonly format?: ((value: number) => string) | undefined;
}

interface ChartCardProperties extends Omit<ChartProperties, 'points' | 'summary' | 'height'> {
  readonly title: string;
  /** Undefined while it is loaded. */
  readonly points: readonly Point[] | undefined;
  readonly error?: unknown;
  readonly onRetry?: () => void;
}

const HEIGHT = 180;
/** So many charts are a screen of a phone. */
const STEP = 2;

/** Charts beside each other, each with a key. On a phone two of them, and the others below when they are asked for. */
export function Charts({
  children,
  ...rest
}: {
  readonly children: readonly ReactNode[];
  readonly mb?: 'xl';
}) {
  const { visible, hasMore, onMore } = useSteps(children, {}, STEP);
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }} {...rest}>
        {visible}
      </SimpleGrid>
      {hasMore && (
        <Group justify="flex-end" my="md">
          <Button variant="default" onClick={onMore}>
            {s.list.more}
          </Button>
        </Group>
      )}
    </>
  );
}

/** What happened over time: the sum in figures, bars from zero, and the same as a table. */
export function ChartCard({ title, points, series, error, onRetry, format = numberOf }: ChartCardProperties) {
  const [asTable, setAsTable] = useState(false);
  const [range] = useRange();
  const totals = series.map(({ key, label }) => ({
    label,
    count: (points ?? []).reduce((sum, { values }) => sum + (values[key] ?? 0), 0),
  }));
  const isEmpty = points !== undefined && totals.every(({ count }) => count === 0);
  const said = totals.map(({ label, count }) => say(t.total, { label, count: format(count) }));
  const summary = say(t.summary, { title, range: t.ranges[range], totals: said.join(', ') });
  return (
    <Paper component="section" p={{ base: 'md', sm: 'lg' }} aria-label={title}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="sm">
        <Stack gap={2}>
          <Title order={3} size="h5">
            {title}
          </Title>
          <Group gap="2px 16px">
            {totals.map(({ label, count }, index) => (
              <Group key={label} gap={6} wrap="nowrap">
                {series.length > 1 && (
                  <span
                    aria-hidden
                    style={{
                      flex: 'none',
                      width: 10,
                      height: 10,
                      borderRadius: 3,
                      background: index === 0 ? 'var(--chart)' : 'var(--chart-rest)',
                    }}
                  />
                )}
                {points === undefined ? (
                  <Skeleton height={20} width={72} />
                ) : (
                  <Text size="sm">
                    <strong>{format(count)}</strong> {series.length > 1 && label}
                  </Text>
                )}
              </Group>
            ))}
          </Group>
        </Stack>
        {points !== undefined && !isEmpty && (
          <Button
            size="compact-sm"
            variant="default"
            style={{ flex: 'none' }}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? t.chart : t.table}
          </Button>
        )}
      </Group>
      {error !== undefined && error !== null && points === undefined && (
        <Failure error={error} {...(onRetry !== undefined && { onRetry })} />
      )}
      {points === undefined && (error === undefined || error === null) && (
        <Skeleton height={HEIGHT} aria-busy="true" />
      )}
      {isEmpty && (
        <Stack
          h={HEIGHT}
          justify="center"
          align="center"
          style={{ background: 'var(--sunken)', borderRadius: 8 }}
        >
          <Text c="dimmed" size="sm">
            {t.empty}
          </Text>
        </Stack>
      )}
      {points !== undefined && !isEmpty && !asTable && (
        <Later fallback={<Skeleton height={HEIGHT} aria-busy="true" />} failed={<NotRead />}>
          <Bars {...{ points, series, summary, height: HEIGHT, format }} />
        </Later>
      )}
      {points !== undefined && asTable && (
        <ScrollArea h={HEIGHT} viewportProps={{ tabIndex: 0 }}>
          <Table verticalSpacing={4} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.time}</Table.Th>
                {series.map(({ key, label }) => (
                  <Table.Th key={key} ta="end">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {points.map(({ label, values }, index) => (
                <Table.Tr key={`${label}-${index}`}>
                  <Table.Td>{label}</Table.Td>
                  {series.map(({ key }) => (
                    <Table.Td key={key} ta="end">
                      {format(values[key] ?? 0)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      )}
    </Paper>
  );
}
