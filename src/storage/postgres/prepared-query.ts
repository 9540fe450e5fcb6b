import pg from 'pg';
import type { Row, Statement } from './statement.js';

/**
 * A prepared statement on its way. pg copies an object that says what to ask, property by property, which costs as much as
 * sending it; a text and its values it takes as they are.
 */
export class PreparedQuery<T extends Row> extends pg.Query<T> {
  readonly name: string;

  constructor(
    { name, text }: Statement,
    values: readonly unknown[],
    answered: (error: Error | undefined, result: pg.QueryResult<T>) => void,
  ) {
    super(text, values, answered);
    this.name = name;
  }
}
