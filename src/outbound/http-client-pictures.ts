import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { DocumentUnavailable } from '../domain/applications/client-documents.js';
import { ClientPictures } from '../domain/client-registration/logos/client-pictures.js';
import { Log } from '../domain/shared/log.js';
import { strangerFetch } from './stranger-fetch.js';

/** Somebody waits for a page that does without it. */
const TIMEOUT_MS = 3_000;

/** On connections whose address was looked at, without redirects. */
@Injectable()
export class HttpClientPictures extends ClientPictures {
  private readonly allowPrivate: boolean;

  constructor(
    config: Config,
    private readonly log: Log,
  ) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async fetch(address: string, mostBytes: number): Promise<Buffer | undefined> {
    const request = { headers: { accept: 'image/png, image/jpeg, image/webp' }, mostBytes };
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    const asked = { log: this.log, what: 'the logo' };
    try {
      const response = await strangerFetch(address, { ...request, deadline }, this.allowPrivate, asked);
      return Buffer.from(await response.arrayBuffer());
    } catch (error) {
      if (error instanceof DocumentUnavailable) return undefined;
      throw error;
    }
  }
}
