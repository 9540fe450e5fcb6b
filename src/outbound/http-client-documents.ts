import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import {
  ClientDocuments,
  DocumentUnavailable,
  type FetchedDocument,
  type FetchOptions,
} from '../domain/applications/client-documents.js';
import { Log } from '../domain/shared/log.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { strangerFetch } from './stranger-fetch.js';

const JSON_TYPE = /^application\/(?:[!-.0-:<-~]+\+)?json *(?:;|$)/i;

const ACCEPT = {
  json: 'application/json, application/jwk-set+json',
  anything: 'application/oauth-authz-req+jwt, application/jwt, */*;q=0.1',
};

/** On connections whose address was looked at, without redirects, and no longer nor larger than a client is described. */
@Injectable()
export class HttpClientDocuments extends ClientDocuments {
  private readonly allowPrivate: boolean;
  private readonly breaker = new CircuitBreaker();

  constructor(
    config: Config,
    private readonly log: Log,
  ) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async fetch(
    address: string,
    mostBytes: number,
    { accepts = 'json', onBehalfOf }: FetchOptions = {},
  ): Promise<FetchedDocument> {
    const headers = { accept: ACCEPT[accepts] };
    // failed fetches on behalf of one organization must not block others
    const key = onBehalfOf && `${onBehalfOf} ${new URL(address).host}`;
    const circuit = key === undefined ? undefined : { breaker: this.breaker, key };
    const asked = { log: this.log, what: 'a document', circuit };
    const response = await strangerFetch(address, { headers, mostBytes }, this.allowPrivate, asked);
    if (accepts === 'json' && !JSON_TYPE.test(response.headers.get('content-type') ?? '')) {
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
