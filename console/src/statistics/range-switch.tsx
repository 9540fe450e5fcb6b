import { SegmentedControl } from '@mantine/core';
import { RANGES, t, useRange, type Range } from './statistics.ts';

/** Over how long charts look. */
export function RangeSwitch() {
  const [range, setRange] = useRange();
  return (
    <SegmentedControl<Range>
      aria-label={t.range}
      data={RANGES.map((value) => ({ value, label: t.ranges[value] }))}
      value={range}
      onChange={setRange}
    />
  );
}
