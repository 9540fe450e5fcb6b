/** As SQL, so that an index whose condition names the same values still serves the statement. */
export function oneOf(constants: readonly string[]): string {
  return `IN (${literals(constants)})`;
}

/** Constants as SQL. Words of the program and nothing else: whatever somebody sent goes in as a parameter. */
export function literals(constants: readonly string[]): string {
  return constants.map(literal).join(', ');
}

/** Each as a row of `VALUES`. */
export function rowsOf(constants: readonly string[]): string {
  return constants.map((constant) => `(${literal(constant)})`).join(', ');
}

function literal(constant: string): string {
  if (!/^[\w.-]+$/.test(constant)) throw new Error('a constant of a statement is no plain word');
  return `'${constant}'`;
}
