import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../../config/config.js';
import { OutboxSignal } from '../../domain/outbox/outbox-signal.js';

const RECONNECT_AFTER_MS = 1_000;

/**
 * LISTEN on a connection of its own, outside of the pool: it is held for as long as the process runs. A dead line
 * is found by TCP keep-alive; until then the relay's sweep does the work.
 */
@Injectable()
export class PgOutboxSignal extends OutboxSignal {
  constructor(private readonly config: Config) {
    super();
  }

  override listen(onRows: () => void): () => Promise<void> {
    const stop = new AbortController();
    const done = this.keepListening(onRows, stop.signal);
    return async () => {
      stop.abort();
      await done;
    };
  }

  private async keepListening(onRows: () => void, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.listenOnce(onRows, stop).catch(() => undefined);
      // only ends early by the stop signal, which the loop looks at
      await sleep(RECONNECT_AFTER_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  }

  /** Resolves or rejects when the connection is over, for whatever reason. */
  private async listenOnce(onRows: () => void, stop: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: this.config.app.postgres.url,
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
      client.on('notification', onRows);
      await client.query('LISTEN outbox');
      onRows();
      await over;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
