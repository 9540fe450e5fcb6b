import { withoutTalkers } from './debug-output.js';

/**
 * The first import of every process, before any library reads the variable: off production, DEBUG keeps what it asks
 * for but for libraries that write secrets out. Production refuses to start with them (environment-faults.ts).
 */
const { DEBUG: asked, NODE_ENV: kind } = process.env;
if (asked !== undefined && asked !== '' && kind !== 'production') {
  process.env['DEBUG'] = withoutTalkers(asked);
}
