// SQL by hand: the SELECT of paged lists, and expressions such as 'sequence + 1' in what repositories write
import {
  getMetadataArgsStorage,
  Raw,
  type EntityManager,
  type FindOptionsOrder,
  type FindOptionsWhere,
  type ObjectLiteral,
  type ObjectType,
} from 'typeorm';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId } from '../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { PageStatements, type Filters, type PageRow } from './page-statement.js';
import type { Sql } from './sql.js';
import type { Row } from './statement.js';
import type { CountedChanges } from './tables/counted-changes.js';

/** An entity with a change counter (`sequence`) and the organization that owns the row. */
export interface Counted extends CountedChanges {
  orgId: OrgId;
}

/** Properties that a statement by hand must select for `detailsOf`. */
export const COUNTED_BY = ['orgId', 'sequence', 'createdAt', 'changedAt'] as const;
export type CountedRow = Pick<Counted, (typeof COUNTED_BY)[number]>;

export function detailsOf(row: Counted): ResourceDetails {
  return detailsWithOwner(row.orgId, row);
}

/** The same of a row that has no `orgId`, or whose `orgId` may be null. */
export function detailsWithOwner(
  resourceOwner: OrgId,
  { sequence, createdAt, changedAt }: CountedChanges,
): ResourceDetails {
  return { sequence, createdAt, changedAt, resourceOwner };
}

/**
 * Where a row begins to count that may stand in the place of a removed one: by the clock, so that no number of the one stands for
 * the other. A row would have to change every microsecond to come near it.
 */
export const SET_ANEW = '(extract(epoch FROM app_now()) * 1000000)::bigint';

/** Of a row that was `SET_ANEW`: there was nothing to read before. */
export function detailsOfNew(row: Counted): ResourceDetails {
  return { ...detailsOf(row), before: '0' };
}

/** A row as it was before it was deleted, and when. The deletion counts as a change: see `removedDetails`. */
interface Removed<Entity> {
  readonly row: Entity;
  readonly at: Date;
}

export function removedDetails(resourceOwner: OrgId, { row, at }: Removed<CountedChanges>): ResourceDetails {
  const sequence = String(BigInt(row.sequence) + 1n);
  return detailsWithOwner(resourceOwner, { sequence, createdAt: row.createdAt, changedAt: at });
}

/**
 * Columns for a SELECT or RETURNING by hand, each with the name of its property, so that rows have the property names of the entity:
 * `a.org_id AS "orgId", …`.
 */
export function columns<Entity extends object>(
  entity: ObjectType<Entity>,
  alias: string,
  properties: readonly (keyof Entity & string)[],
): string {
  return properties.map((property) => `${alias}.${columnOf(entity, property)} AS "${property}"`).join(', ');
}

interface Column {
  readonly property: string;
  readonly name: string;
  readonly type: string;
}

/** Cached for each entity, since TypeORM searches the columns of all entities. */
const COLUMNS = new WeakMap<object, readonly Column[]>();
const NAMES = new WeakMap<object, ReadonlyMap<string, string>>();

/** The columns of an entity, its own and those that it inherits. */
export function columnsOf(entity: object): readonly Column[] {
  const known = COLUMNS.get(entity) ?? readColumns(entity);
  COLUMNS.set(entity, known);
  return known;
}

function readColumns(entity: object): readonly Column[] {
  return getMetadataArgsStorage()
    .filterColumns(withParents(entity) as never)
    .map(({ propertyName, options: { name, type } }) => ({
      property: propertyName,
      name: name ?? propertyName,
      type: String(type),
    }));
}

/** A class and those that it extends. */
function withParents(entity: object): readonly object[] {
  const parent = Object.getPrototypeOf(entity) as object;
  return parent === Function.prototype ? [entity] : [entity, ...withParents(parent)];
}

/** The column of each property of an entity. */
export function columnNames(entity: object): ReadonlyMap<string, string> {
  const known = NAMES.get(entity) ?? new Map(columnsOf(entity).map(({ property, name }) => [property, name]));
  NAMES.set(entity, known);
  return known;
}

export function columnOf(entity: object, property: string): string {
  return columnNames(entity).get(property) ?? property;
}

/** The table of an entity. */
export function tableOf(entity: object): string {
  const [table] = getMetadataArgsStorage().filterTables(entity as never);
  if (table?.name === undefined) throw new Error('an entity has no table');
  return table.name;
}

type Where<Entity> = FindOptionsWhere<Entity>;
/** New values by property; a function gives SQL. */
export type Changes<Entity> = { [Property in keyof Entity]?: Entity[Property] | (() => string) };

/** TypeORM ignores an undefined property in a condition, so that a missing id or organization would match every row. */
function requireValues<Entity>(where: Where<Entity>): Where<Entity> {
  const values = Object.values(where);
  if (values.length === 0 || values.includes(undefined))
    throw new Error('a condition of a statement is missing');
  return where;
}

/** How a row is locked until the transaction ends. */
const LOCK_MODES = {
  /** Nobody else changes it; foreign keys may still refer to it. */
  lock: 'for_no_key_update',
  /** Nobody else changes it or begins to refer to it. */
  exclusive: 'pessimistic_write',
  /** Nobody changes it. */
  shared: 'pessimistic_read',
  /** As a foreign key does: the row is not deleted, and a transaction with an `exclusive` lock is waited for. */
  reference: 'for_key_share',
} as const;

/** The ordinary reads and writes of one table, by TypeORM's repository of its entity. */
export class Table<Entity extends ObjectLiteral> {
  constructor(
    private readonly sql: Sql,
    private readonly entity: ObjectType<Entity>,
  ) {}

  async find(where: Where<Entity>, tx?: Tx, lock?: keyof typeof LOCK_MODES): Promise<Entity | undefined> {
    const found = await this.sql.entities(
      (manager) =>
        manager.findOne(this.entity, {
          where: requireValues(where),
          ...(lock && { lock: { mode: LOCK_MODES[lock] } }),
        }),
      tx,
    );
    return found ?? undefined;
  }

  /** @param most LIMIT */
  async list(
    where: Where<Entity>,
    order: FindOptionsOrder<Entity>,
    tx?: Tx,
    most?: number,
  ): Promise<readonly Entity[]> {
    const limit = most !== undefined && { take: most };
    return await this.sql.entities((manager) => manager.find(this.entity, { where, order, ...limit }), tx);
  }

  async count(where: Where<Entity>, tx?: Tx): Promise<number> {
    return await this.sql.entities((manager) => manager.countBy(this.entity, requireValues(where)), tx);
  }

  async exists(where: Where<Entity>, tx?: Tx): Promise<boolean> {
    return await this.sql.entities((manager) => manager.existsBy(this.entity, requireValues(where)), tx);
  }

  /** Inserts a row. Returns it with the database's defaults. */
  async add(tx: Tx | undefined, values: Changes<Entity>): Promise<Entity> {
    return await this.sql.entities(async (manager) => {
      const { raw } = await this.insertion(manager, values).returning('*').execute();
      const [row] = this.read(manager, raw);
      if (row === undefined) throw new Error('an insert gave no row');
      return row;
    }, tx);
  }

  async addAll(tx: Tx, rows: readonly Changes<Entity>[]): Promise<void> {
    if (rows.length === 0) return;
    await this.sql.entities((manager) => this.insertion(manager, rows).execute(), tx);
  }

  /** Inserts rows, without those that violate a unique constraint. */
  async addMissing(tx: Tx | undefined, rows: readonly Changes<Entity>[]): Promise<void> {
    if (rows.length === 0) return;
    await this.sql.entities((manager) => this.insertion(manager, rows).orIgnore().execute(), tx);
  }

  /** Inserts a row; false if it violates a unique constraint. */
  async addUnlessThere(tx: Tx, values: Changes<Entity>): Promise<boolean> {
    return (await this.addOnce(tx, values)) !== undefined;
  }

  /**
   * Inserts a row and returns it; undefined if it violates a unique constraint. Waits for a concurrent insert of the same row; the
   * transaction stays usable in both cases.
   */
  async addOnce(tx: Tx, values: Changes<Entity>): Promise<Entity | undefined> {
    return await this.sql.entities(async (manager) => {
      const { raw } = await this.insertion(manager, values).orIgnore().returning('*').execute();
      return this.read(manager, raw)[0];
    }, tx);
  }

  /**
   * Upserts the row of that key.
   *
   * @param renewed values that an existing row is reset to, as for a new one
   */
  async put(
    tx: Tx | undefined,
    key: Changes<Entity>,
    values: Changes<Entity>,
    renewed: readonly (keyof Entity & string)[] = [],
  ): Promise<void> {
    await this.sql.entities(
      (manager) =>
        this.insertion(manager, { ...key, ...values })
          .orUpdate(this.columnsOf([...Object.keys(values), ...renewed]), this.columnsOf(Object.keys(key)))
          .execute(),
      tx,
    );
  }

  /**
   * Upserts rows, and returns them.
   *
   * @param key the properties that identify a row
   * @param values the properties that are replaced in an existing row
   */
  async putAll(
    tx: Tx,
    rows: readonly Changes<Entity>[],
    key: readonly (keyof Entity & string)[],
    values: readonly (keyof Entity & string)[],
  ): Promise<readonly Entity[]> {
    if (rows.length === 0) return [];
    return await this.sql.entities(async (manager) => {
      const { raw } = await this.insertion(manager, rows)
        .orUpdate(this.columnsOf(values), this.columnsOf(key))
        .returning('*')
        .execute();
      return this.read(manager, raw);
    }, tx);
  }

  /**
   * Locks the row of a key until the transaction ends; if there is none, inserts it with `sequence` 0. An INSERT … ON
   * CONFLICT DO UPDATE that changes nothing: it waits for another transaction that has the row, and returns what that one left.
   */
  async lockForUpdate(tx: Tx, key: Changes<Entity>): Promise<Entity> {
    return await this.sql.entities(async (manager) => {
      const columns = this.columnsOf(Object.keys(key));
      const { raw } = await this.insertion(manager, { ...key, sequence: '0' })
        .orUpdate(columns.slice(0, 1), columns)
        .returning('*')
        .execute();
      const [row] = this.read(manager, raw);
      if (row === undefined) throw new Error('a row that is locked gave nothing');
      return row;
    }, tx);
  }

  /** Updates rows, and returns them with their new values. */
  async change(
    tx: Tx | undefined,
    where: Where<Entity>,
    values: Changes<Entity>,
  ): Promise<readonly Entity[]> {
    return await this.sql.entities(async (manager) => {
      const { raw } = await manager
        .createQueryBuilder()
        .update(this.entity)
        .set(values)
        .where(requireValues(where))
        .updateEntity(false)
        .returning('*')
        .execute();
      return this.read(manager, raw);
    }, tx);
  }

  /** Updates rows, and returns their number. */
  async changeAll(tx: Tx | undefined, where: Where<Entity>, values: Changes<Entity>): Promise<number> {
    return await this.update(tx, values, requireValues(where));
  }

  /** Updates every row of the table, and returns their number. */
  async changeEvery(tx: Tx, values: Changes<Entity>): Promise<number> {
    return await this.update(tx, values);
  }

  /** Deletes rows, and returns their number. */
  async removeAll(tx: Tx | undefined, where: Where<Entity>): Promise<number> {
    return await this.delete(tx, requireValues(where));
  }

  /** Deletes every row of the table, and returns their number. */
  async removeEvery(tx: Tx): Promise<number> {
    return await this.delete(tx);
  }

  /** Deletes rows, and returns them as they were, with the time. */
  async remove(tx: Tx | undefined, where: Where<Entity>): Promise<readonly Removed<Entity>[]> {
    return await this.sql.entities(async (manager) => {
      const { raw } = await manager
        .createQueryBuilder()
        .delete()
        .from(this.entity)
        .where(requireValues(where))
        .returning('*, app_now() AS removed_at')
        .execute();
      const removedAt = (raw as readonly { removed_at: Date }[]).map(({ removed_at: at }) => at);
      return this.read(manager, raw).map((row, index) => ({ row, at: removedAt[index] as Date }));
    }, tx);
  }

  /** @param where every row without it */
  private async update(tx: Tx | undefined, values: Changes<Entity>, where?: Where<Entity>): Promise<number> {
    return await this.sql.entities(async (manager) => {
      const query = manager.createQueryBuilder().update(this.entity).set(values).updateEntity(false);
      const { affected } = await (where === undefined ? query : query.where(where)).execute();
      return affected ?? 0;
    }, tx);
  }

  /** @param where every row without it */
  private async delete(tx: Tx | undefined, where?: Where<Entity>): Promise<number> {
    return await this.sql.entities(async (manager) => {
      const query = manager.createQueryBuilder().delete().from(this.entity);
      const { affected } = await (where === undefined ? query : query.where(where)).execute();
      return affected ?? 0;
    }, tx);
  }

  private columnsOf(properties: readonly string[]): string[] {
    return properties.map((property) => columnOf(this.entity, property));
  }

  /** `updateEntity(false)`: the given values are not changed. */
  private insertion(manager: EntityManager, values: Changes<Entity> | readonly Changes<Entity>[]) {
    return manager
      .createQueryBuilder()
      .insert()
      .into(this.entity)
      .values(values as Changes<Entity>)
      .updateEntity(false);
  }

  /** Converts rows of the driver, by column, into entities, by property. */
  private read(manager: EntityManager, raw: unknown): readonly Entity[] {
    const { driver } = manager.connection;
    const metadata = manager.connection.getMetadata(this.entity);
    return (raw as readonly Row[]).map(
      (row) =>
        Object.fromEntries(
          metadata.columns.map((column) => [
            column.propertyName,
            driver.prepareHydratedValue(row[column.databaseName], column) as unknown,
          ]),
        ) as Entity,
    );
  }
}

/** Counts a change in a `Table`; `CountedTable` does it by itself. */
export const COUNTED = { sequence: () => 'sequence + 1', changedAt: () => 'app_now()' };

/** A table whose rows count their changes: each change raises `sequence` and sets `changedAt`. */
export class CountedTable<Entity extends Counted & ObjectLiteral> extends Table<Entity> {
  /** Updates the row that matches, at most one; undefined if there is none. */
  async changeOne(
    tx: Tx,
    where: Where<Entity>,
    values: Changes<Entity>,
  ): Promise<ResourceDetails | undefined> {
    const [row] = await this.change(tx, where, { ...values, ...COUNTED });
    return row && detailsOf(row);
  }

  /** Deletes the row that matches, at most one; undefined if there is none. */
  async removeOne(tx: Tx, where: Where<Entity>): Promise<ResourceDetails | undefined> {
    const [removed] = await this.remove(tx, where);
    return removed && removedDetails(removed.row.orgId, removed);
  }
}

/** Lists rows of an entity page by page, by a prepared statement. */
export class PagedTable<Entity extends object> {
  private readonly statements: PageStatements;

  /**
   * @param by the properties that select the rows of one owner
   * @param listedBy the property used as id and as name, if the entity has neither
   * @param only a condition in SQL on every row `t`
   * @param times the properties, besides `createdAt`, that the list can be ordered by
   */
  constructor(
    private readonly sql: Sql,
    name: string,
    entity: ObjectType<Entity>,
    private readonly by: readonly (keyof Entity & string)[],
    {
      listedBy,
      only,
      times = [],
      filters = {},
    }: {
      readonly listedBy?: keyof Entity & string;
      readonly only?: string;
      readonly times?: readonly (keyof Entity & string)[];
      readonly filters?: Filters;
    } = {},
  ) {
    const names = columnNames(entity);
    const all = columns(entity, 't', [...names.keys()] as (keyof Entity & string)[]);
    const where = by.map((property, index) => `t.${columnOf(entity, property)} = $${index + 1}`);
    if (only !== undefined) where.push(only);
    // every list can be filtered and ordered by name; without a name, such a filter matches nothing
    const listed =
      listedBy === undefined ? names.has('name') && { name: 'name' } : { id: listedBy, name: listedBy };
    this.statements = new PageStatements(name, {
      select: `SELECT ${all} FROM ${tableOf(entity)} t WHERE ${where.join(' AND ') || 'true'}`,
      taken: by.length,
      times,
      filters,
      ...listed,
    });
  }

  async list<Item>(
    query: PageQuery,
    of: Readonly<Partial<Record<keyof Entity, unknown>>>,
    read: (row: Entity) => Item,
  ): Promise<Page<Item>> {
    const values = [...this.by.map((property) => of[property]), ...this.statements.values(query)];
    const rows = await this.sql.rows<PageRow<Row>>(this.statements.of(query), values);
    return this.statements.page(rows, query, (row) => read(row as Entity));
  }
}

/** A condition: a time in the future, by the database's clock. */
export const AHEAD = Raw((column) => `${column} > app_now()`);

/** SQL: a number plus one, for epochs. */
export function raised<Entity extends object>(
  entity: ObjectType<Entity>,
  property: keyof Entity & string,
): () => string {
  return () => `${columnOf(entity, property)} + 1`;
}

export function pick<Source extends object, Name extends keyof Source>(
  source: Source,
  names: readonly Name[],
): Pick<Source, Name> {
  return Object.fromEntries(names.map((name) => [name, source[name]])) as Pick<Source, Name>;
}
