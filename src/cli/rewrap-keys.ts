import '../config/quiet-debug.js';
import { loadConfig } from '../config/config.js';
import { crashAt } from '../config/crash-at.js';
import { armCrashPoint } from '../domain/shared/crash-point.js';
import { messageForLog } from '../ops/error-for-log.js';
import { rewrapDataKeys } from '../storage/postgres/secrets/rewrap-data-keys.js';

/**
 * `npm run rewrap-keys`: after `MASTER_KEY` was changed, wraps the data keys under the new one, so that the old one may
 * be removed from `MASTER_KEY_PREVIOUS`. The service may keep running. Exit codes: 0 done or nothing to do, 1 failed,
 * 78 configuration at fault.
 */
const config = loadConfig();
armCrashPoint(crashAt());
try {
  const count = await rewrapDataKeys(config.postgres.url, config.masterKeys);
  console.log(
    count === 0 ? 'Every data key is already wrapped with MASTER_KEY.' : `Re-wrapped ${count} data key(s).`,
  );
} catch (error) {
  console.error('The data keys were not changed:', messageForLog(error));
  process.exitCode = 1;
}
