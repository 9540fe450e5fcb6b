import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { ApplicationId, OrgId, SessionId, UserAgentId, UserId } from '../../../src/domain/shared/ids.js';
import { randomToken, sha256 } from '../../../src/domain/shared/random.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { PgUnitOfWork } from '../../../src/storage/postgres/unit-of-work.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

/** A database with what sessions and grants lean on: organizations, projects, applications, users, browsers. */
export class Seed {
  readonly sql: Sql;
  readonly unitOfWork: PgUnitOfWork;

  private constructor(
    private readonly database: TestDatabase,
    readonly pool: pg.Pool,
    private readonly dataSource: DataSource,
  ) {
    this.sql = new Sql(dataSource);
    this.unitOfWork = new PgUnitOfWork(this.sql);
  }

  static async open(): Promise<Seed> {
    const database = await cloneDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 8 });
    // dropping the database ends connections that are being closed
    pool.on('error', () => undefined);
    const settings = { url: database.url, poolSize: 8, statementTimeoutMs: 0, applicationName: 'seed' };
    return new Seed(database, pool, await createDataSource(settings).initialize());
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.dataSource.destroy();
    await this.database.drop();
  }

  /** The first column of the first row. */
  async value<T>(text: string, values: readonly unknown[] = []): Promise<T> {
    const { rows } = await this.pool.query<Record<string, T>>(text, [...values]);
    const [first] = Object.values(rows[0] ?? {});
    if (first === undefined) throw new Error(`no row: ${text}`);
    return first;
  }

  async organization(): Promise<OrgId> {
    return await this.value(`INSERT INTO organizations (name) VALUES ($1) RETURNING id`, [randomToken(6)]);
  }

  async user(orgId: OrgId): Promise<UserId> {
    return await this.value(
      `INSERT INTO users (org_id, kind, user_name) VALUES ($1, 'human', $2) RETURNING id`,
      [orgId, randomToken(6)],
    );
  }

  async project(orgId: OrgId): Promise<string> {
    return await this.value(`INSERT INTO projects (org_id, name) VALUES ($1, $2) RETURNING id`, [
      orgId,
      randomToken(6),
    ]);
  }

  async application(orgId: OrgId, projectId: string): Promise<ApplicationId> {
    return await this.value(
      `INSERT INTO applications (org_id, project_id, name, kind, auth_method) VALUES ($1, $2, $3, 'oidc', 'none')
       RETURNING id`,
      [orgId, projectId, randomToken(6)],
    );
  }

  async agent(secret = randomToken(32)): Promise<{ id: UserAgentId; secret: string }> {
    const id = randomToken(16) as UserAgentId;
    await this.pool.query(`INSERT INTO user_agents (id, secret_hash) VALUES ($1, $2)`, [id, sha256(secret)]);
    return { id, secret };
  }

  async session(orgId: OrgId, userId: UserId): Promise<SessionId> {
    const { id } = await this.agent();
    return await this.value(
      `INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch)
       SELECT $1, $2, id, $4, app_now(), '{pwd}', token_epoch FROM users WHERE id = $3 RETURNING id`,
      [randomToken(16), orgId, userId, id],
    );
  }

  async advance(seconds: number): Promise<void> {
    await this.pool.query(`UPDATE test_clock SET shift = shift + make_interval(secs => $1)`, [seconds]);
  }
}
