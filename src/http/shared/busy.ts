import type { FastifyReply } from 'fastify';
import { HashingOverloaded } from '../../domain/passwords/hashing-pool.js';
import { CodeNotChecked } from '../../domain/users/verification/evaluate-code.js';

/**
 * What `work` gives, or `too-busy` where it was refused because too many passwords wait: the form is then shown again
 * with what was typed, and the reader told to try again. Nothing else may be caught here.
 */
export async function unlessBusy<Result>(
  reply: FastifyReply,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | 'too-busy'> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof HashingOverloaded)) throw error;
    void reply.header('retry-after', String(error.retryAfterSeconds ?? 1));
    return 'too-busy';
  }
}

/** The same where the provider that made a code cannot be asked about it: the reader may type it again. */
export async function unlessUnchecked<Result>(
  reply: FastifyReply,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | 'code-unchecked'> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof CodeNotChecked)) throw error;
    void reply.header('retry-after', String(error.retryAfterSeconds ?? 1));
    return 'code-unchecked';
  }
}

/** The status of a form that is shown with these problems; Retry-After goes with 429 and 503. */
export function statusOf(problems: readonly string[] = []): number {
  if (problems.length === 0) return 200;
  if (problems.includes('too-many-attempts')) return 429;
  return problems.includes('too-busy') || problems.includes('code-unchecked') ? 503 : 400;
}
