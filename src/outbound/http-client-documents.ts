import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import {
  ClientDocuments,
  DocumentUnavailable,
  type FetchedDocument,
} from '../domain/applications/client-documents.js';
import { Log } from '../domain/shared/log.js';
import { strangerFetch } from './stranger-fetch.js';

const JSON_TYPE = /^application\/(?:[!-.0-:<-~]+\+)?json *(?:;|$)/i;

/** On connections whose address was looked at, without redirects, and no longer nor larger than a client is described. */
@Injectable()
export class HttpClientDocuments extends ClientDocuments {
  private readonly allowPrivate: boolean;

  constructor(
    config: Config,
    private readonly log: Log,
  ) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async fetch(address: string, mostBytes: number): Promise<FetchedDocument> {
    const headers = { accept: 'application/json, application/jwk-set+json' };
    const asked = { log: this.log, what: 'a document' };
    const response = await strangerFetch(address, { headers, mostBytes }, this.allowPrivate, asked);
    if (!JSON_TYPE.test(response.headers.get('content-type') ?? '')) {
      throw new DocumentUnavailable('is not of a JSON type');
    }
    return {
      text: await response.text(),
      maxAgeSeconds: maxAgeOf(response.headers.get('cache-control') ?? ''),
    };
  }
}

/** RFC 9111 §5.2.2; what must not be kept is kept for the shortest time. */
function maxAgeOf(cacheControl: string): number | undefined {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return 0;
  const seconds = /\bmax-age=([0-9]{1,9})\b/i.exec(cacheControl)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
