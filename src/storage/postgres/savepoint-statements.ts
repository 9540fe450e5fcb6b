// SQL by hand: savepoints, for which TypeORM has no public method
import type { Statement } from './statement.js';

/** One name for each level: what is taken back is the innermost of its name. */
export function savepoint(name: string): Readonly<Record<'BEGIN' | 'KEEP' | 'TAKE_BACK', Statement>> {
  return {
    BEGIN: { name: `savepoint-begin-${name}`, text: `SAVEPOINT ${name}` },
    KEEP: { name: `savepoint-keep-${name}`, text: `RELEASE SAVEPOINT ${name}` },
    TAKE_BACK: { name: `savepoint-take-back-${name}`, text: `ROLLBACK TO SAVEPOINT ${name}` },
  };
}
