import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';

/** Details and statements of errors repeat what people entered, such as an address that is taken already. */
const SILENT = { log_error_verbosity: 'terse', log_min_error_statement: 'panic' };

it('keeps personal data out of the log of the private server', async () => {
  const client = new Client({ connectionString: inject('services').adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
      [Object.keys(SILENT)],
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual(SILENT);
  } finally {
    await client.end();
  }
});

it('keeps personal data out of the log of the server in docker-compose.yml', async () => {
  const compose = await readFile('docker-compose.yml', 'utf8');
  for (const [name, value] of Object.entries(SILENT)) {
    expect(compose).toMatch(new RegExp(`'-c',\\s*'${name}=${value}'`));
  }
});

it('publishes the API of docker-compose.yml on this machine alone, unless told otherwise', async () => {
  expect(await readFile('docker-compose.yml', 'utf8')).toContain(
    '${API_BIND:-127.0.0.1}:${API_PORT:-8080}:8080',
  );
});
