/** Of slips of the pen: one letter wrong, missing, too many, or two swapped; twice in longer words. */
const MOST_SLIPS = 2;
const SHORT = 4;

/** `did you mean "status"?`, of the names there are. What was typed is not repeated: a secret may stand in it. */
export function didYouMean(typed: string, names: readonly string[]): string | undefined {
  const most = typed.length <= SHORT ? 1 : MOST_SLIPS;
  const [nearest] = names
    .map((name) => ({ name, slips: slipsBetween(typed, name) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips);
  return nearest && `did you mean "${nearest.name}"?`;
}

/** Damerau-Levenshtein distance where no letter moves twice. */
function slipsBetween(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
