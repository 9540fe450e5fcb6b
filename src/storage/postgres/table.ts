import {
  getMetadataArgsStorage,
  type EntityManager,
  type EntityMetadata,
  type FindOptionsWhere,
  type ObjectLiteral,
  type ObjectType,
} from 'typeorm';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from './page-statement.js';
import type { Sql } from './sql.js';
import type { Row, Statement } from './statement.js';

/** What every entity has whose changes are counted (`details` of answers). */
export interface Counted {
  orgId: string;
  sequence: string;
  createdAt: Date;
  changedAt: Date;
}

export function detailsOf({ sequence, createdAt, changedAt, orgId }: Counted): ResourceDetails {
  return { sequence, createdAt, changedAt, resourceOwner: orgId };
}

/**
 * Columns for a statement by hand, each under its property's name, so that the row that comes back is the record and a new
 * column needs no numbering: `a.org_id AS "orgId", …`.
 */
export function columns<Entity extends object>(
  entity: ObjectType<Entity>,
  alias: string,
  properties: readonly (keyof Entity & string)[],
): string {
  const names = columnNames(entity);
  return properties
    .map((property) => `${alias}.${names.get(property) ?? property} AS "${property}"`)
    .join(', ');
}

function columnNames(entity: object): ReadonlyMap<string, string> {
  return new Map(
    getMetadataArgsStorage()
      .filterColumns(entity as never)
      .map(({ propertyName, options }) => [propertyName, options.name ?? propertyName]),
  );
}

type Where<Entity> = FindOptionsWhere<Entity>;
/** New values by property; a function gives SQL. */
export type Changes<Entity> = { [Property in keyof Entity]?: Entity[Property] | (() => string) };

/** A value that is missing must find nothing, and above all not everything: neither organization nor id may drop out. */
function whole<Entity>(where: Where<Entity>): Where<Entity> {
  const values = Object.values(where);
  if (values.length === 0 || values.includes(undefined))
    throw new Error('a condition of a statement is missing');
  return where;
}

/** The ordinary reads and writes of one table, by TypeORM's repository of its entity. */
export class Table<Entity extends ObjectLiteral> {
  constructor(
    private readonly sql: Sql,
    private readonly entity: ObjectType<Entity>,
  ) {}

  /** @param lock nobody else changes the row until the transaction ends; foreign keys may still refer to it */
  async find(where: Where<Entity>, tx?: Tx, lock?: 'lock'): Promise<Entity | undefined> {
    const found = await this.sql.entities(
      (manager) =>
        manager.findOne(this.entity, {
          where: whole(where),
          ...(lock && { lock: { mode: 'for_no_key_update' as const } }),
        }),
      tx,
    );
    return found ?? undefined;
  }

  /** The row as the database made it, with its defaults. */
  async add(tx: Tx, values: Changes<Entity>): Promise<Entity> {
    return await this.sql.entities(async (manager) => {
      const { raw } = await manager
        .createQueryBuilder()
        .insert()
        .into(this.entity)
        .values(values)
        .updateEntity(false)
        .returning('*')
        .execute();
      const [row] = this.read(manager, raw);
      if (row === undefined) throw new Error('an insert gave no row');
      return row;
    }, tx);
  }

  /** The rows that it changed, as they are now. */
  async change(tx: Tx, where: Where<Entity>, values: Changes<Entity>): Promise<readonly Entity[]> {
    return await this.sql.entities(async (manager) => {
      const { raw } = await manager
        .createQueryBuilder()
        .update(this.entity)
        .set(values)
        .where(whole(where))
        .updateEntity(false)
        .returning('*')
        .execute();
      return this.read(manager, raw);
    }, tx);
  }

  /** The rows that it removed, as they were, and when. */
  async remove(
    tx: Tx,
    where: Where<Entity>,
  ): Promise<readonly { readonly row: Entity; readonly at: Date }[]> {
    return await this.sql.entities(async (manager) => {
      const { raw } = await manager
        .createQueryBuilder()
        .delete()
        .from(this.entity)
        .where(whole(where))
        .returning('*, app_now() AS removed_at')
        .execute();
      const metadata = manager.connection.getMetadata(this.entity);
      return (raw as readonly (Row & { removed_at: Date })[]).map((row) => ({
        row: ofRow<Entity>(manager, metadata, row),
        at: row.removed_at,
      }));
    }, tx);
  }

  private read(manager: EntityManager, raw: unknown): readonly Entity[] {
    const metadata = manager.connection.getMetadata(this.entity);
    return (raw as readonly Row[]).map((row) => ofRow<Entity>(manager, metadata, row));
  }
}

/** A table whose rows count their changes: each change raises `sequence` and sets `changedAt`. */
export class CountedTable<Entity extends Counted & ObjectLiteral> extends Table<Entity> {
  /** Undefined where there is no such row. At most one is meant. */
  async changeOne(
    tx: Tx,
    where: Where<Entity>,
    values: Changes<Entity>,
  ): Promise<ResourceDetails | undefined> {
    const counted = { ...values, sequence: () => 'sequence + 1', changedAt: () => 'app_now()' };
    const [row] = await this.change(tx, where, counted);
    return row && detailsOf(row);
  }

  /** Its removal is one more change. */
  async removeOne(tx: Tx, where: Where<Entity>): Promise<ResourceDetails | undefined> {
    const [removed] = await this.remove(tx, where);
    return (
      removed && {
        ...detailsOf(removed.row),
        sequence: String(BigInt(removed.row.sequence) + 1n),
        changedAt: removed.at,
      }
    );
  }
}

function ofRow<Entity>(manager: EntityManager, metadata: EntityMetadata, row: Row): Entity {
  return Object.fromEntries(
    metadata.columns.map((column) => [
      column.propertyName,
      manager.connection.driver.prepareHydratedValue(row[column.databaseName], column) as unknown,
    ]),
  ) as Entity;
}

/** Lists rows of an entity page by page, by a prepared statement. */
export class PagedTable<Entity extends object> {
  private readonly statement: Statement;

  /** @param by the properties that name whose rows are listed */
  constructor(
    private readonly sql: Sql,
    name: string,
    entity: ObjectType<Entity>,
    private readonly by: readonly (keyof Entity & string)[],
  ) {
    const names = columnNames(entity);
    const all = columns(entity, 't', [...names.keys()] as (keyof Entity & string)[]);
    const where = by.map((property, index) => `t.${names.get(property) ?? property} = $${index + 7}`);
    const [table] = getMetadataArgsStorage().filterTables(entity as never);
    this.statement = pageStatement(name, {
      select: `SELECT ${all}, t.created_at FROM ${table?.name} t WHERE ${where.join(' AND ')}`,
    });
  }

  async list<Item>(
    query: PageQuery,
    of: Readonly<Partial<Record<keyof Entity, unknown>>>,
    read: (row: Entity) => Item,
  ): Promise<Page<Item>> {
    const values = [...pageValues(query), ...this.by.map((property) => of[property])];
    return pageOf(await this.sql.rows<PageRow<Row>>(this.statement, values), (row) => read(row as Entity));
  }
}

/** SQL for one more than there is: of an epoch, which only rises. */
export function raised<Entity extends object>(
  entity: ObjectType<Entity>,
  property: keyof Entity & string,
): () => string {
  return () => `${columnNames(entity).get(property) ?? property} + 1`;
}

export function pick<Source extends object, Name extends keyof Source>(
  source: Source,
  names: readonly Name[],
): Pick<Source, Name> {
  return Object.fromEntries(names.map((name) => [name, source[name]])) as Pick<Source, Name>;
}
