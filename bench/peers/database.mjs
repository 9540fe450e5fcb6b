import pg from 'pg';

/** Makes an empty database for a peer, beside those of ours. */
export async function createDatabase(postgres, name) {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
}
