import { AreaChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { Button, Group, Kbd, ScrollArea, Table, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { numberOf, say, words } from '../app/words.ts';

const t = words({ en, de });

export interface Point {
  readonly label: string;
  readonly value: number;
}

interface TrendProperties {
  readonly title: string;
  /** What the numbers are of. */
  readonly unit: string;
  readonly points: readonly Point[];
  /** Shown where there are too few points for a line. */
  readonly empty: string;
}

/** One line over time, from zero, and the same as a table. It brings the chart library along: load it in a route alone. */
export function Trend({ title, unit, points, empty }: TrendProperties) {
  const [asTable, setAsTable] = useState(false);
  useHotkeys([['t', () => setAsTable((was) => !was)]]);
  if (points.length < 2)
    return (
      <Text c="dimmed" size="sm">
        {empty}
      </Text>
    );
  return (
    <figure style={{ margin: 0 }} aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Text component="figcaption" size="sm" c="dimmed">
          {title}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => setAsTable(!asTable)}
          aria-keyshortcuts="t"
          rightSection={<Kbd size="xs">t</Kbd>}
        >
          {asTable ? t.trend.chart : t.trend.table}
        </Button>
      </Group>
      {asTable ? (
        <ScrollArea h={220} viewportProps={{ tabIndex: 0 }}>
          <Table verticalSpacing={4} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.trend.time}</Table.Th>
                <Table.Th ta="end">{unit}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {points.map(({ label, value }, index) => (
                <Table.Tr key={`${label}-${index}`}>
                  <Table.Td>{label}</Table.Td>
                  <Table.Td ta="end">{numberOf(value)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      ) : (
        <AreaChart
          h={220}
          data={points.map(({ label, value }) => ({ label, value }))}
          dataKey="label"
          series={[{ name: 'value', label: unit, color: 'var(--chart)' }]}
          withDots={false}
          curveType="linear"
          gridAxis="y"
          tickLine="none"
          valueFormatter={(value) => numberOf(value)}
          yAxisProps={{ domain: [0, 'auto'], width: 56, allowDecimals: false }}
          xAxisProps={{ minTickGap: 48 }}
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false }}
          role="img"
          aria-label={say(t.trend.summary, {
            latest: numberOf(points.at(-1)?.value ?? 0),
            most: numberOf(Math.max(...points.map(({ value }) => value))),
            unit,
          })}
        />
      )}
    </figure>
  );
}
