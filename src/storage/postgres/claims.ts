// What claims have in common in SQL: messages and logout notices (src/domain/outbox/delivery.ts).
import type { NotClaimed } from '../../domain/outbox/delivery.js';

/** The worker that holds it is gone or frozen. */
export function lapsed(row: string): string {
  return `(${row}.state = 'sending' AND ${row}.claimed_until < app_now())`;
}

/** @param holdMs an expression */
export function taking(holdMs: string): string {
  return `state = 'sending', fence = fence + 1, attempts = attempts + 1,
    claimed_until = app_now() + make_interval(secs => ${holdMs} / 1000)`;
}

/** The claim of `$1` under the fence `$2`, as long as nobody has taken it over. */
export const HELD = `id = $1 AND fence = $2 AND state = 'sending'`;

export function busyFor(dueInMs: number | null): NotClaimed {
  return { kind: 'busy', retryInMs: Math.max(0, Math.ceil(dueInMs ?? 0)) };
}
