import { ApiError } from '../../domain/shared/errors.js';

export interface Refused<Problem extends string> {
  readonly problem: Problem;
  readonly retryAfterSeconds: number | undefined;
}

/**
 * The result of `work`, or the problem that the domain refused it for, if the page has a text for it. Everything else goes
 * on to the filter.
 *
 * @param problems by the errors' ids
 */
export async function unlessRefused<Result, Problem extends string>(
  problems: Readonly<Record<string, Problem>>,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | Refused<Problem>> {
  try {
    return { result: await work() };
  } catch (error) {
    const problem = error instanceof ApiError && error.id !== undefined ? problems[error.id] : undefined;
    if (problem === undefined) throw error;
    return { problem, retryAfterSeconds: (error as ApiError).retryAfterSeconds };
  }
}
