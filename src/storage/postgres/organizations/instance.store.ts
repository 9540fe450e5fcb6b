import { Injectable } from '@nestjs/common';
import { InstanceStore, type Instance } from '../../../domain/organizations/instance.store.js';
import type { ClientId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { advisoryLock } from '../advisory-lock.js';
import { Sql } from '../sql.js';
import { pick, Table } from '../table.js';
import { InstanceEntity } from '../tables/instance.entity.js';

@Injectable()
export class PgInstanceStore extends InstanceStore {
  private readonly rows: Table<InstanceEntity>;
  private known: Instance | undefined;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, InstanceEntity);
  }

  override async read(): Promise<Instance> {
    this.known ??= await this.find();
    if (this.known === undefined) throw new Error('the instance is not set up yet: run bootstrap');
    return this.known;
  }

  override async lockSetUp(tx: Tx): Promise<void> {
    await advisoryLock(this.sql, tx, 'instance set-up');
  }

  override async find(tx?: Tx): Promise<Instance | undefined> {
    const row = await this.rows.find({ id: true }, tx);
    return row && pick(row, ['defaultOrgId', 'apiProjectId']);
  }

  override async add(tx: Tx, { defaultOrgId, apiProjectId }: Instance): Promise<void> {
    await this.rows.add(tx, { defaultOrgId, apiProjectId });
  }

  override async findConsoleClient(tx?: Tx): Promise<ClientId | undefined> {
    return (await this.rows.find({ id: true }, tx))?.consoleClientId ?? undefined;
  }

  override async setConsoleClient(tx: Tx, consoleClientId: ClientId): Promise<void> {
    await this.rows.changeAll(tx, { id: true }, { consoleClientId });
  }
}
