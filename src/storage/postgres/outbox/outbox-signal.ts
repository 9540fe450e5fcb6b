import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { OutboxSignal } from '../../../domain/outbox/outbox-signal.js';
import { listen } from '../listen.js';

/** Until a dead line is found, the relay's sweep does the work. */
@Injectable()
export class PgOutboxSignal extends OutboxSignal {
  constructor(private readonly config: Config) {
    super();
  }

  override listen(onRows: () => void): () => Promise<void> {
    return listen({ url: this.config.app.postgres.directUrl, channel: 'outbox', onWord: onRows });
  }
}
