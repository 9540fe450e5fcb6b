interface Step {
  readonly at: string;
  readonly rate: number;
}

/** Records are done by the chunk: a step has the end of one or of none. */
const STEADY_MS = 10_000;

/** The same by the last seconds before each moment, in which several chunks end: a line that can be read. */
export function steadied(pace: readonly Step[]): readonly Step[] {
  return pace.map(({ at }, index) => {
    const lately = pace
      .slice(0, index + 1)
      .filter((step) => Date.parse(at) - Date.parse(step.at) < STEADY_MS);
    return { at, rate: lately.reduce((sum, { rate }) => sum + rate, 0) / lately.length };
  });
}
