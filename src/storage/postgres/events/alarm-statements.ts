// SQL by hand: one statement decides whether an alarm is due, and records it with its event
import { insertEventOfInstance, insertEvents } from './insert-events.js';

/** @param kind an expression of `$1` */
function raised(kind: string): string {
  return `
    WITH raised AS (
      INSERT INTO alarms AS known (kind, raised_at) VALUES (${kind}, app_now())
      ON CONFLICT (kind) DO UPDATE SET times = known.times + 1, raised_at = excluded.raised_at
      WHERE known.raised_at + make_interval(secs => $2) <= excluded.raised_at
      RETURNING times
    )`;
}

export const RAISE_ALARM = {
  name: 'alarms-raise',
  text: `${raised('$1')}
    ${insertEventOfInstance('data')}
    SELECT 'instance', 'instance', times, 'instance.' || $1, $3::jsonb FROM raised`,
};
export const RAISE_ALARM_ABOUT = {
  name: 'alarms-raise-about',
  text: `${raised(`$1 || ' ' || $4`)}
    ${insertEvents('data')}
    SELECT $5, $1, $4, times, $1 || '.alarm', $3::jsonb FROM raised`,
};
