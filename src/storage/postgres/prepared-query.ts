import pg from 'pg';
import type { Row, Statement } from './statement.js';

/**
 * A prepared statement for pg. Given as an object, pg would copy its properties, which costs as much as sending it; text and values are
 * used as they are.
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
