import { randomBytes } from 'node:crypto';
import pg from 'pg';

const SERVER = 'postgres://postgres@127.0.0.1:54329/postgres';

export interface EmptyDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  drop(): Promise<void>;
}

/** A database with nothing in it, for tests that run the migrations themselves. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const name = `schema_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 4 });
  // DROP DATABASE may end a connection that the pool is just closing
  pool.on('error', () => undefined);
  return {
    url: url.href,
    pool,
    drop: async () => {
      await pool.end();
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
