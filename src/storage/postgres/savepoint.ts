import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { ApiError } from '../../domain/shared/errors.js';
import { Savepoint } from '../../domain/shared/savepoint.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { savepoint } from './savepoint-statements.js';
import { DatabaseAway, isRefusal, Sql } from './sql.js';

const { BEGIN, KEEP, TAKE_BACK } = savepoint('part');

@Injectable()
export class PgSavepoint extends Savepoint {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async run<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
    await this.sql.change(BEGIN, [], tx);
    try {
      const result = await work();
      await this.sql.change(KEEP, [], tx);
      return result;
    } catch (error) {
      if (error instanceof DatabaseAway) throw error;
      await this.sql.change(TAKE_BACK, [], tx);
      if (isRefusal(error))
        throw new ApiError('failed-precondition', 'The database refuses it', 'STORAGE-4rFs2');
      // two that waited for each other, or one that waited for too long: another time it goes well
      if (error instanceof pg.DatabaseError) throw new DatabaseAway(error);
      throw error;
    }
  }
}
