import type { Log } from '../domain/shared/log.js';

/**
 * An error that nobody caught, a rejection included, ends the process as it always does. Node would print it with all
 * that a library attached to it: the command with its arguments, the row, the account. The log prints only what may be logged.
 */
export function logUncaught(log: Log): void {
  process.on('uncaughtException', (error) => {
    try {
      log.error('uncaught error', error);
    } finally {
      process.exit(1);
    }
  });
}
