import { timeLimit } from '../app/time-limit.ts';

/** Without an answer for so long, something that is only read is given up, to be asked for once more. */
export const LONGEST_READ_MS = 30_000;
/** And a change, which may have been made all the same: nothing sends it again. */
const LONGEST_WRITE_MS = 120_000;

/** A change without an answer: nobody knows whether it was made. */
export class Unanswered extends Error {
  constructor(cause: unknown) {
    super('no answer', { cause });
    this.name = 'Unanswered';
  }
}

/** Sends a call, and waits for its answer no longer than is worth it. @throws Unanswered */
export async function sentInTime(request: Request): Promise<Response> {
  const accept = request.headers.get('accept');
  const isJson = accept === 'application/json';
  const limit = timeLimit(isReading(request) ? LONGEST_READ_MS : LONGEST_WRITE_MS);
  // a file may be long in the making: whoever asked for it sees that it is under way
  if (!isJson && accept !== 'text/event-stream') limit.lift();
  try {
    const answer = await fetch(request, { signal: AbortSignal.any([request.signal, limit.signal]) });
    // to its end, which may not come either; a copy, since one that is put together has no address
    if (isJson) await answer.clone().arrayBuffer();
    return answer;
  } catch (error) {
    const isLost = error instanceof TypeError || error instanceof DOMException;
    if (isLost && !isReading(request) && !request.signal.aborted) throw new Unanswered(error);
    throw error;
  } finally {
    limit.lift();
  }
}

/** Some of what is read is asked for by a body. */
function isReading({ method, url }: Request): boolean {
  return method === 'GET' || /\/_(?:search|preview)$/.test(new URL(url).pathname);
}
