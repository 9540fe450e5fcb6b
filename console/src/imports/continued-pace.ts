interface Step {
  readonly at: string;
  readonly rate: number;
}

/** What a stream tells of the pace: its steps from the `from`-th on. */
export interface PaceNews {
  readonly from: number;
  readonly steps: readonly Step[];
}

/** The steps that are known by now. Whoever connects anew is told all, from 0: what was missed meanwhile is among them. */
export function continued(known: readonly Step[], { from, steps }: PaceNews): readonly Step[] {
  return [...known.slice(0, from), ...steps];
}
