import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import {
  ClientDocuments,
  DocumentUnavailable,
  type FetchedDocument,
} from '../domain/applications/client-documents.js';
import { Log } from '../domain/shared/log.js';
import { guardedFetch } from './guarded-fetch.js';
import { AddressRefused, ClearTextRefused } from './guarded-lookup.js';

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
    const response = await this.get(address, mostBytes);
    // a redirect too: it could lead to another host than the one that people are shown
    if (response.status !== 200) throw new DocumentUnavailable('is not answered with 200');
    if (!JSON_TYPE.test(response.headers.get('content-type') ?? '')) {
      throw new DocumentUnavailable('is not of a JSON type');
    }
    return {
      text: await response.text(),
      maxAgeSeconds: maxAgeOf(response.headers.get('cache-control') ?? ''),
    };
  }

  private async get(address: string, mostBytes: number): Promise<Response> {
    try {
      const headers = { accept: 'application/json, application/jwk-set+json' };
      return await guardedFetch(address, { headers, mostBytes }, this.allowPrivate);
    } catch (error) {
      if (error instanceof ClearTextRefused) throw new DocumentUnavailable('is not on https');
      // whether a name of our own network exists is for operators alone to learn
      const reason = error instanceof AddressRefused ? 'address_refused' : kindOf(error);
      this.log.info('a document of an application was not fetched', { host: new URL(address).host, reason });
      throw new DocumentUnavailable('cannot be fetched');
    }
  }
}

function kindOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return String(typeof code === 'string' ? code : name);
}

/** RFC 9111 §5.2.2; what must not be kept is kept for the shortest time. */
function maxAgeOf(cacheControl: string): number | undefined {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return 0;
  const seconds = /\bmax-age=([0-9]{1,9})\b/i.exec(cacheControl)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
