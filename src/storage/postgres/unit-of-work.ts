import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../domain/shared/unit-of-work.js';
import { Sql } from './sql.js';

@Injectable()
export class PgUnitOfWork extends UnitOfWork {
  constructor(private readonly sql: Sql) {
    super();
  }

  override run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.sql.transaction(work);
  }

  override afterCommit(tx: Tx, act: () => void): void {
    this.sql.afterCommit(tx, act);
  }
}
