import type { Writable } from 'node:stream';
import { reasonOf } from '../files/reason-of.js';
import { OperationFailed } from './exit.js';

/**
 * Runs work that writes without an end of its own. It is aborted once standard output takes no more: whoever reads it has had
 * enough (`| head`), which is no failure, or the disk is full.
 *
 * @throws OperationFailed
 */
export async function whileRead(
  stdout: Writable,
  interrupted: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const closed = new AbortController();
  const onError = (error: Error): void => closed.abort(error);
  stdout.on('error', onError);
  try {
    await work(AbortSignal.any([interrupted, closed.signal]));
  } catch (error) {
    if (!closed.signal.aborted) throw error;
  } finally {
    stdout.off('error', onError);
  }
  const { reason } = closed.signal as { readonly reason: unknown };
  if (reason !== undefined && !isReaderGone(reason)) {
    throw new OperationFailed(`cannot write standard output: ${reasonOf(reason)}`, { cause: reason });
  }
}

export function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}
