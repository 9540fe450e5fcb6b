export type Row = Record<string, unknown>;

/** A prepared statement: `name` is unique in the program, so that every connection parses the text once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}
