// SQL by hand: savepoints, for which TypeORM has no public method
import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { ApiError } from '../../domain/shared/errors.js';
import { Savepoint } from '../../domain/shared/savepoint.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { DatabaseAway, isRefusal, Sql } from './sql.js';
import type { Statement } from './statement.js';

/** Each level has its own name: ROLLBACK TO goes back to the innermost savepoint of a name. */
export function savepoint(name: string): Readonly<Record<'BEGIN' | 'RELEASE' | 'ROLLBACK', Statement>> {
  return {
    BEGIN: { name: `savepoint-begin-${name}`, text: `SAVEPOINT ${name}` },
    RELEASE: { name: `savepoint-release-${name}`, text: `RELEASE SAVEPOINT ${name}` },
    ROLLBACK: { name: `savepoint-rollback-${name}`, text: `ROLLBACK TO SAVEPOINT ${name}` },
  };
}

const { BEGIN, RELEASE, ROLLBACK } = savepoint('part');

@Injectable()
export class PgSavepoint extends Savepoint {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async run<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
    await this.sql.change(BEGIN, [], tx);
    try {
      const result = await work();
      await this.sql.change(RELEASE, [], tx);
      return result;
    } catch (error) {
      if (error instanceof DatabaseAway) throw error;
      await this.sql.change(ROLLBACK, [], tx);
      if (isRefusal(error))
        throw new ApiError('failed-precondition', 'The database refuses it', 'STORAGE-4rFs2');
      // a deadlock or a lock timeout: a retry succeeds
      if (error instanceof pg.DatabaseError) throw new DatabaseAway(error);
      throw error;
    }
  }
}
