// SQL that claims of messages and of logout notices share (src/domain/outbox/delivery.ts).
import type { NotClaimed } from '../../../domain/outbox/delivery.js';

/** SQL: whether a claim has expired, because its worker crashed or hangs. */
export function leaseExpired(row: string): string {
  return `(${row}.state = 'sending' AND ${row}.claimed_until < app_now())`;
}

/** SQL: assignments that claim a row. @param holdMs an expression */
export function acquireLease(holdMs: string): string {
  return `state = 'sending', fence = fence + 1, attempts = attempts + 1,
    claimed_until = app_now() + make_interval(secs => ${holdMs} / 1000)`;
}

/** SQL: row `$1` is still claimed under the fencing number `$2`. */
export const STILL_LEASED = `id = $1 AND fence = $2 AND state = 'sending'`;

export function busyFor(dueInMs: number | null): NotClaimed {
  return { kind: 'busy', retryInMs: Math.max(0, Math.ceil(dueInMs ?? 0)) };
}
