import '../config/quiet-debug.js';
import { loadMigrationConfig } from '../config/config.js';
import { messageForLog } from '../ops/error-for-log.js';
import { migrateQueues, QUEUE_SCHEMA } from '../queues/queue-connection.js';
import { requireSession } from '../storage/postgres/connections/pooler.js';
import { migrateDatabase } from '../storage/postgres/migrating/migrate.js';
import { postgresSettings } from '../storage/postgres/require-usable-database.js';
import { letServiceUseTables } from '../storage/postgres/service-role.js';

/**
 * `npm run migrate`: brings the database's schema up to date, and lets the role of API and workers use it where they have
 * one of their own. Exit codes: 0 done or nothing to do, 1 failed,
 * 78 configuration at fault.
 */
const config = loadMigrationConfig();
try {
  await requireSession({ ...postgresSettings(config), url: config.postgres.directUrl });
  const ran = await migrateDatabase(config.postgres.directUrl, (line) => console.log(line));
  for (const name of ran) console.log(`ran ${name}`);
  console.log(ran.length === 0 ? 'The schema is up to date.' : `Ran ${ran.length} migration(s).`);
  await prepareServiceRole();
} catch (error) {
  console.error('The migration failed:', messageForLog(error));
  process.exitCode = 1;
}

async function prepareServiceRole(): Promise<void> {
  const { postgres, queues } = config;
  if (postgres.serviceRole === undefined) return;
  // that role may make no schema, which a process of the owner does by itself
  const inPostgres = queues.backend === 'postgres';
  if (inPostgres) await migrateQueues(postgres.directUrl);
  await letServiceUseTables(postgres.directUrl, postgres.serviceRole, inPostgres ? QUEUE_SCHEMA : undefined);
  console.log(`The role ${postgres.serviceRole.name} may use the tables.`);
}
