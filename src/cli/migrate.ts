import '../config/quiet-debug.js';
import { loadConfig } from '../config/config.js';
import { messageForLog } from '../ops/error-for-log.js';
import { migrateDatabase } from '../storage/postgres/migrate.js';

/**
 * `npm run migrate`: brings the database's schema up to date. Exit codes: 0 done or nothing to do, 1 failed,
 * 78 configuration at fault.
 */
const config = loadConfig();
try {
  const ran = await migrateDatabase(config.postgres.url, (line) => console.log(line));
  for (const name of ran) console.log(`ran ${name}`);
  console.log(ran.length === 0 ? 'The schema is up to date.' : `Ran ${ran.length} migration(s).`);
} catch (error) {
  console.error('The migration failed:', messageForLog(error));
  process.exitCode = 1;
}
