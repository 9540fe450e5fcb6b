import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Where the settings of the service are declared, a line each. */
const DECLARED = ['src/config/environment.ts', 'src/config/redis-servers.ts'];
/** Libraries read more of these than the service does. */
const OF_LIBRARIES = /^(?:OTEL_|TWILIO_)/;

/**
 * Tells the settings of the service from the other variables of a shell. A service that is set up in this shell must not reach
 * the tests. The declarations are read as text: this runs before anything is built.
 *
 * @param {string} root
 * @returns {(variable: string) => boolean}
 */
export function serviceSettings(root) {
  const names = new Set(
    DECLARED.flatMap((file) =>
      [...readFileSync(path.join(root, file), 'utf8').matchAll(/^ +([A-Z][A-Z\d_]+):/gm)].map(
        ([, name]) => name,
      ),
    ),
  );
  return (variable) =>
    OF_LIBRARIES.test(variable) || names.has(variable.replace(/_FILE$/, '')) || names.has(variable);
}
