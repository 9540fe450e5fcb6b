import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.js';
import {
  ClientDocuments,
  DocumentUnavailable,
  type FetchedDocument,
} from '../../../src/domain/applications/client-documents.js';
import { PublishedRequests } from '../../../src/domain/authorize/request/published-requests.js';
import type { ClientId, OrgId } from '../../../src/domain/shared/ids.js';
import type { Log } from '../../../src/domain/shared/log.js';
import { sha256 } from '../../../src/domain/shared/random.js';
import { HttpClientDocuments } from '../../../src/outbound/http-client-documents.js';
import { CountedLimiter } from '../../support/counted-limiter.js';
import { SetClock } from '../../support/set-clock.js';

// What one application and one organization have fetched is their own share (security S433).

const JWT = 'e30.e30.AA';
const HASH = sha256(JWT).toString('base64url');
const log = { info: () => undefined } as unknown as Log;

class Documents extends ClientDocuments {
  readonly asked: string[] = [];
  isAway = false;
  maxAgeSeconds: number | undefined;

  override async fetch(address: string): Promise<FetchedDocument> {
    this.asked.push(address);
    if (this.isAway) throw new DocumentUnavailable('is away');
    return await Promise.resolve({ text: JWT, maxAgeSeconds: this.maxAgeSeconds });
  }
}

function setUp() {
  const documents = new Documents();
  const clock = new SetClock(Date.UTC(2026, 0, 1));
  return { documents, clock, requests: new PublishedRequests(documents, new CountedLimiter(), clock, log) };
}

/** How often something was to be had, of so many addresses of an application. */
async function flood(
  requests: PublishedRequests,
  client: string,
  org: string,
  times: number,
  host = 'a',
  registration?: 'anyone',
) {
  let read = 0;
  for (let n = 0; n < times; n += 1) {
    const uri = `https://${host}.test/${n}`;
    const publisher = {
      clientId: client as ClientId,
      orgId: org as OrgId,
      requestUris: [uri],
      ...(registration && { registration }),
    };
    const answer = await requests.read(uri, publisher).catch((error: unknown) => error);
    if (answer === JWT) read += 1;
    else expect(answer).toMatchObject({ code: 'temporarily_unavailable' });
  }
  return read;
}

const uri = 'https://rp.test/r';
const publisher = { clientId: 'c' as ClientId, orgId: 'o' as OrgId, requestUris: [uri] };

describe('published requests', () => {
  it('are fetched for an application, for an organization and of a host within shares (S433)', async () => {
    const { requests } = setUp();
    expect(await flood(requests, 'one', 'org', 40)).toBe(30);
    expect(await flood(requests, 'two', 'org', 40)).toBe(30);
    // the organization has had its share, and nobody else's is touched
    expect(await flood(requests, 'three', 'org', 40)).toBe(0);
    expect(await flood(requests, 'four', 'other', 40)).toBe(30);
    expect(await flood(requests, 'five', 'third', 40)).toBe(30);
    expect(await flood(requests, 'six', 'fourth', 40)).toBe(0);
    expect(await flood(requests, 'seven', 'fifth', 40, 'b')).toBe(30);
  });

  it('of applications that anybody registered take nothing of those of the organization (S433)', async () => {
    const { requests } = setUp();
    for (const client of ['one', 'two'])
      expect(await flood(requests, client, 'org', 40, 'a', 'anyone')).toBe(30);
    expect(await flood(requests, 'three', 'org', 40, 'b', 'anyone')).toBe(0);
    expect(await flood(requests, 'own', 'org', 40, 'c')).toBe(30);
  });

  it('count by their hash while their server is away, and without it no longer than a minute', async () => {
    const { requests, documents, clock } = setUp();
    expect(await requests.read(uri, publisher)).toBe(JWT);
    documents.isAway = true;
    clock.now += 61_000;
    await expect(requests.read(uri, publisher)).rejects.toMatchObject({ code: 'invalid_request_uri' });
    expect(await requests.read(`${uri}#${HASH}`, publisher)).toBe(JWT);
    clock.now += 3_600_000;
    await expect(requests.read(`${uri}#${HASH}`, publisher)).rejects.toMatchObject({
      description: 'request_uri is away',
    });
    expect(documents.asked.length).toBe(3);
  });

  it('that are not to be kept are fetched no oftener than once in ten seconds', async () => {
    const { requests, documents, clock } = setUp();
    documents.maxAgeSeconds = 0;
    for (let n = 0; n < 20; n += 1) {
      expect(await requests.read(uri, publisher)).toBe(JWT);
      clock.now += 1_000;
    }
    expect(documents.asked.length).toBe(2);
  });

  it('of a server that does not answer are not asked for, by the organization that has seen it', async () => {
    const server = createServer((_, response) => response.socket?.destroy());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    let calls = 0;
    server.on('request', () => (calls += 1));
    const config = { app: { outbound: { privateAddresses: 'allow' } } } as unknown as Config;
    const documents = new HttpClientDocuments(config, log);
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/r`;
    const fetch = async (onBehalfOf: string) =>
      await documents.fetch(address, 100, { accepts: 'anything', onBehalfOf });
    for (let n = 0; n < 5; n += 1) await expect(fetch('one')).rejects.toThrow('cannot be fetched');
    await expect(fetch('one')).rejects.toThrow('at present');
    expect(calls).toBe(5);
    await expect(fetch('two')).rejects.toThrow(/fetched$/);
    expect(calls).toBe(6);
    server.close();
  });
});
