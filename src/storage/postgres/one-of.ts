/** SQL: `IN (…)` with constants, not parameters, so that a partial index with the same values can be used. */
export function oneOf(constants: readonly string[]): string {
  return `IN (${literals(constants)})`;
}

/** SQL literals. For constants of the program only; values from outside are parameters. */
export function literals(constants: readonly string[]): string {
  return constants.map(literal).join(', ');
}

/** SQL: each constant as a row of `VALUES`. */
export function rowsOf(constants: readonly string[]): string {
  return constants.map((constant) => `(${literal(constant)})`).join(', ');
}

function literal(constant: string): string {
  if (!/^[\w.-]+$/.test(constant)) throw new Error('a constant of a statement is no plain word');
  return `'${constant}'`;
}
