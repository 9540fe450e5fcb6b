import { setTimeout as sleep } from 'node:timers/promises';
import { Primary } from './connections/primary.js';

const RECONNECT_AFTER_MS = 1_000;

interface Listening {
  readonly url: string;
  readonly channel: 'outbox' | 'keys' | 'request_delay';
  /** Called with the payload of each notification, and without one after each reconnect. */
  readonly onWord: (word?: string) => void;
}

/**
 * LISTEN on a connection of its own, outside of the pool, which is kept for as long as the process runs. A dead connection is found by TCP
 * keep-alive; nothing depends on a notification arriving.
 *
 * @returns how to stop
 */
export function listen(listening: Listening): () => Promise<void> {
  const stop = new AbortController();
  const done = keepListening(listening, stop.signal);
  return async () => {
    stop.abort();
    await done;
  };
}

async function keepListening(listening: Listening, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await listenOnce(listening, stop).catch(() => undefined);
    // ends early only by the stop signal, which the loop checks
    await sleep(RECONNECT_AFTER_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Resolves or rejects when the connection is over, for whatever reason. */
async function listenOnce({ url, channel, onWord }: Listening, stop: AbortSignal): Promise<void> {
  const client = Primary.of(url).client({
    application_name: 'identity-listen',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  const over = new Promise<void>((resolve) => {
    client.once('end', resolve);
    // a broken connection reports an error and may or may not report its end
    client.on('error', () => resolve());
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await client.connect();
    client.on('notification', ({ payload }) => onWord(payload));
    await client.query(`LISTEN ${channel}`);
    onWord();
    await over;
  } finally {
    await client.end().catch(() => undefined);
  }
}
