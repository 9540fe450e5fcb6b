import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { KeySignal } from '../../../domain/signing-keys/key-signal.js';
import { listen } from '../listen.js';

/** Triggers on the tables of keys send the word with the commit that changes them. */
@Injectable()
export class PgKeySignal extends KeySignal {
  constructor(private readonly config: Config) {
    super();
  }

  override listen(onChange: () => void): () => Promise<void> {
    return listen({ url: this.config.app.postgres.directUrl, channel: 'keys', onWord: onChange });
  }
}
