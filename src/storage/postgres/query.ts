import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { PageStatements, type Filters, type PageRow } from './page-statement.js';
import type { Sql } from './sql.js';
import type { Row, Statement } from './statement.js';

/** Builds a query by TypeORM's query builder, with named parameters (`:name`). */
type Build = (entities: EntityManager) => SelectQueryBuilder<ObjectLiteral>;

interface Built {
  readonly statement: Statement;
  /** Names of the parameters, in the order of their numbers. */
  readonly names: readonly string[];
}

/**
 * A read by TypeORM's query builder, for example of several tables: it names properties, and the entities give the columns. Its text
 * is built once, and sent as a prepared statement.
 */
export class Query<Found extends object, Values extends object> {
  private built: Built | undefined;

  /** @param name unique in the program */
  constructor(
    protected readonly sql: Sql,
    private readonly name: string,
    private readonly build: Build,
  ) {}

  async row(values: Values, tx?: Tx): Promise<Found | undefined> {
    return (await this.rows(values, tx))[0];
  }

  async rows(values: Values, tx?: Tx): Promise<readonly Found[]> {
    const { statement, names } = this.ready();
    return await this.sql.rows<Found & Row>(statement, named(names, values), tx);
  }

  /** On a pipelined connection: for frequent queries that never wait for a lock. */
  async pipelined(values: Values): Promise<Found | undefined> {
    const { statement, names } = this.ready();
    return await this.sql.pipelined<Found & Row>(statement, named(names, values));
  }

  protected ready(): Built {
    this.built ??= this.make();
    return this.built;
  }

  private make(): Built {
    const query = this.build(this.sql.builder);
    // each parameter gets its own name as value, which gives the order of the parameters; `::` is a cast
    const names = [...query.getQuery().matchAll(/(?<!:):([a-z]\w*)/gi)].map(([, name = '']) => name);
    const [text, order] = query
      .setParameters(Object.fromEntries(names.map((name) => [name, name])))
      .getQueryAndParameters();
    return { statement: { name: this.name, text }, names: order as string[] };
  }
}

/** The same, page by page; rows must have `createdAt`. */
export class PagedQuery<Found extends object, Values extends object> extends Query<Found, Values> {
  private statements: PageStatements | undefined;

  /** @param listed the properties used as id and as name, and those that the list can be filtered and ordered by */
  constructor(
    sql: Sql,
    name: string,
    build: Build,
    private readonly listed: {
      readonly id?: keyof Found & string;
      readonly name?: keyof Found & string;
      readonly times?: readonly (keyof Found & string)[];
      readonly filters?: Filters;
    } = {},
  ) {
    super(sql, name, build);
  }

  async list<Item>(query: PageQuery, values: Values, read: (row: Found) => Item): Promise<Page<Item>> {
    const { statement, names } = this.ready();
    const taken = names.length;
    this.statements ??= new PageStatements(statement.name, { select: statement.text, taken, ...this.listed });
    const all = [...named(names, values), ...this.statements.values(query)];
    const rows = await this.sql.rows<PageRow<Found & Row>>(this.statements.of(query), all);
    return this.statements.page(rows, query, read);
  }
}

function named(names: readonly string[], values: object): unknown[] {
  const given = new Map<string, unknown>(Object.entries(values));
  return names.map((name) => {
    if (!given.has(name)) throw new Error(`a query lacks its parameter ${name}`);
    return given.get(name);
  });
}

/** Selects properties of an entity, each with its own name. */
export function selecting<Entity extends object>(
  query: SelectQueryBuilder<Entity>,
  properties: readonly (keyof Entity & string)[],
): SelectQueryBuilder<Entity> {
  query.select([]);
  for (const property of properties) query.addSelect(`${query.alias}.${property}`, property);
  return query;
}

/** Rows of the organization `:orgId`, or of the instance where that is null. IS NOT DISTINCT FROM would not use the index. */
export function isOfOwner(alias: string): string {
  return `(${alias}.orgId = :orgId OR :orgId::text IS NULL AND ${alias}.orgId IS NULL)`;
}
