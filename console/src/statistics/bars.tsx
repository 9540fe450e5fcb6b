import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { numberOf } from '../app/words.ts';
import type { ChartProperties } from './chart.tsx';

/** It brings the chart library along: loaded by `chart.tsx` once there is something to show. */
export default function Bars({ points, series, summary, height, format = numberOf }: ChartProperties) {
  return (
    <BarChart
      h={height}
      data={points.map(({ label, values }) => ({ label, ...values }))}
      dataKey="label"
      type="stacked"
      series={series.map(({ key, label }, index) => ({
        name: key,
        label,
        // one colour and grey
        color: index === 0 ? 'var(--chart)' : 'var(--chart-rest)',
      }))}
      gridAxis="x"
      tickLine="none"
      valueFormatter={(value) => format(value)}
      maxBarWidth={28}
      yAxisProps={{ domain: [0, 'auto'], width: 52, allowDecimals: false }}
      xAxisProps={{ minTickGap: 24 }}
      barProps={{ isAnimationActive: false, radius: 2 }}
      barChartProps={{ accessibilityLayer: false }}
      role="img"
      aria-label={summary}
    />
  );
}
