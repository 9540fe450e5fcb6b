import type { FastifyReply } from 'fastify';
import { HashingOverloaded } from '../../../domain/passwords/hashing/hashing-pool.js';
import { CodeNotChecked } from '../../../domain/users/verification/evaluate-code.js';

/**
 * The result of `work`, or `too-busy` if it was refused because too many passwords wait: the form is then shown again
 * with the input, and asks the user to try again.
 */
export async function unlessBusy<Result>(
  reply: FastifyReply,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | 'too-busy'> {
  return await unless(HashingOverloaded, 'too-busy', reply, work);
}

/** The same where the provider that made a code cannot be asked about it: the reader may type it again. */
export async function unlessUnchecked<Result>(
  reply: FastifyReply,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | 'code-unchecked'> {
  return await unless(CodeNotChecked, 'code-unchecked', reply, work);
}

/** Nothing but this kind of error may be caught here. */
async function unless<Result, Problem extends string>(
  kind: typeof HashingOverloaded | typeof CodeNotChecked,
  problem: Problem,
  reply: FastifyReply,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | Problem> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof kind)) throw error;
    void reply.header('retry-after', String(error.retryAfterSeconds ?? 1));
    return problem;
  }
}

/** The status of a form that is shown with these problems; Retry-After goes with 429 and 503. */
export function statusOf(problems: readonly string[] = []): number {
  if (problems.length === 0) return 200;
  if (problems.includes('too-many-attempts')) return 429;
  return problems.includes('too-busy') || problems.includes('code-unchecked') ? 503 : 400;
}
