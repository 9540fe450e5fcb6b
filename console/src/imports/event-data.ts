import { timeLimit } from '../app/time-limit.ts';

/** The service says something every 15 seconds. */
const LONGEST_SILENCE_MS = 45_000;

/**
 * The data of each event of a stream (HTML standard §9.2): all of this service are one line. A stream that falls silent ends with
 * an error: a connection that is gone unnoticed says no more, and does not end either.
 * @param open makes the stream, which goes with the signal
 */
export async function* eventData(
  open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
): AsyncGenerator<string> {
  const silence = timeLimit(LONGEST_SILENCE_MS);
  try {
    for await (const line of linesOf(await open(silence.signal))) {
      silence.restart();
      if (line.startsWith('data: ')) yield line.slice('data: '.length);
    }
  } finally {
    silence.lift();
  }
}

/** Lines of a text that arrives in pieces. Whoever stops listening ends the stream. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line !== '') yield line;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
