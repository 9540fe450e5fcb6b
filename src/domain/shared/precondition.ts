import type { ResourceDetails } from './details.js';
import { ApiError } from './errors.js';

/**
 * What a caller had read before a change: the sequences that the thing may be at, or any (RFC 9110 §13.1.1). Two people who
 * edit one thing do not overwrite each other unawares.
 */
export type ReadAt = readonly string[];

/**
 * Asked after the change and in its transaction, which this undoes. A change counts by one under the lock of its row, so that
 * of two made of one sequence at once only the first finds it there. A removal counts as well, so that the number after it is
 * one that nobody has read; a change that counts nothing has to say `before`.
 *
 * @throws ApiError precondition-failed
 */
export function requireReadAt(readAt: ReadAt, { sequence, before }: ResourceDetails): void {
  const found = before ?? String(BigInt(sequence) - 1n);
  if (readAt.includes(found)) return;
  throw new ApiError(
    'precondition-failed',
    `It was changed meanwhile: its sequence is ${found}`,
    'COMMAND-4Sq7x',
  );
}
