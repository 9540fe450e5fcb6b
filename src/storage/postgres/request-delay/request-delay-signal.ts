// SQL by hand: pg_notify, and a SELECT 1 that measures the round trip
import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { RequestDelaySignal } from '../../../domain/request-delay/request-delay-signal.js';
import { listen } from '../listen.js';
import { Sql } from '../sql.js';

const PROBE = { name: 'request-delay-probe', text: 'SELECT 1' };
const NOTIFY = { name: 'request-delay-notify', text: `SELECT pg_notify('request_delay', $1)` };

/** By NOTIFY, so that no row is written for it and nothing is left where nobody listens. */
@Injectable()
export class PgRequestDelaySignal extends RequestDelaySignal {
  constructor(
    private readonly sql: Sql,
    private readonly config: Config,
  ) {
    super();
  }

  override async probe(): Promise<void> {
    await this.sql.pipelined(PROBE, []);
  }

  override async notify(delayMs: number): Promise<void> {
    await this.sql.rows(NOTIFY, [delayMs.toFixed(2)]);
  }

  override listen(onDelay: (delayMs: number) => void): () => Promise<void> {
    return listen({
      url: this.config.app.postgres.directUrl,
      channel: 'request_delay',
      onWord: (word) => {
        const delayMs = Number(word);
        if (delayMs > 0) onDelay(delayMs);
      },
    });
  }
}
