/** Attacks (S076), faults (F14) and invariants (I5): the rows of docs/security.md, and what comments and tests call them. */
export interface NumberedRow {
  readonly number: string;
  /** Beside the number. */
  readonly cells: readonly string[];
}

export function rowsOf(page: string): readonly NumberedRow[] {
  return page
    .split('\n')
    .filter((line) => /^\| [SFI]\d{1,3} +\|/.test(line))
    .map((line) => {
      // `\|` is a bar within a cell
      const [, number = '', ...cells] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return { number, cells: cells.slice(0, -1) };
    });
}

/** PKCE's method and a hash, which look like attacks. */
const NO_ATTACKS = new Set(['S256', 'S384', 'S512']);

/** `S147–S149` is three; `F14d` is a case of F14. */
export function numbersIn(text: string): readonly string[] {
  const named = text.matchAll(/(?<![\w$.-])([SF])(\d{2,3})[a-d]?(?:–\1(\d{2,3}))?(?![\w-])/g);
  return [...named].flatMap(([, letter = '', first = '', last = first]) => {
    const digits = letter === 'S' ? 3 : 2;
    if (first.length !== digits || NO_ATTACKS.has(`${letter}${first}`)) return [];
    return Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, index) => letter + String(Number(first) + index).padStart(digits, '0'),
    );
  });
}
