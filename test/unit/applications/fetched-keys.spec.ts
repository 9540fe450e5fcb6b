import { describe, expect, it } from 'vitest';
import {
  ClientDocuments,
  DocumentUnavailable,
  type FetchedDocument,
} from '../../../src/domain/applications/client-documents.js';
import { FetchedKeys } from '../../../src/domain/applications/keys/fetched-keys.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';
import type { Log } from '../../../src/domain/shared/log.js';
import { makeSigner } from '../../support/assertions.js';
import { CountedLimiter } from '../../support/counted-limiter.js';
import { SetClock } from '../../support/set-clock.js';

// What one organization has fetched is its own share (security S309).

const BODY = JSON.stringify({ keys: [{ ...makeSigner('ES256').publicJwk, kid: 'k1' }] });

class Documents extends ClientDocuments {
  readonly asked: string[] = [];
  away = '';

  override async fetch(address: string): Promise<FetchedDocument> {
    this.asked.push(address);
    if (address === this.away) throw new DocumentUnavailable('away');
    return await Promise.resolve({ text: BODY, maxAgeSeconds: undefined });
  }
}

function setUp() {
  const documents = new Documents();
  const clock = new SetClock(Date.UTC(2026, 0, 1));
  const log = { warn: () => undefined } as unknown as Log;
  return { documents, clock, keys: new FetchedKeys(documents, new CountedLimiter(), clock, log) };
}

const BUSY = expect.objectContaining({ code: 'temporarily_unavailable' }) as unknown;

async function flood(keys: FetchedKeys, host: string, owner: string, times: number): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let n = 0; n < times; n += 1) {
    answers.push(await keys.find(`https://${host}/?n=${n}`, 'k1', owner).catch((error: unknown) => error));
  }
  return answers;
}

describe('keys that applications publish', () => {
  it('are fetched forty times a minute for one organization, whose flood stops nobody else (S309)', async () => {
    const { documents, keys } = setUp();
    const answers = await flood(keys, 'bank.test', 'tenant', 200);
    expect(documents.asked).toHaveLength(40);
    expect(answers.slice(40)).toEqual(Array.from({ length: 160 }, () => BUSY));
    expect(await keys.find('https://bank.test/keys', 'k1', 'bank')).toMatchObject({ kty: 'EC' });
  });

  it('are had by everybody but those whose share is used up, at the same address (S309)', async () => {
    const { documents, keys } = setUp();
    documents.away = 'https://bank.test/keys';
    await flood(keys, 'bank.test', 'tenant', 40);
    await expect(keys.find('https://bank.test/keys', 'k1', 'tenant')).rejects.toEqual(BUSY);
    documents.away = '';
    expect(await keys.find('https://bank.test/keys', 'k1', 'bank')).toMatchObject({ kty: 'EC' });
  });

  it('are remembered whatever another organization has fetched (S309)', async () => {
    const { documents, clock, keys } = setUp();
    expect(await keys.find('https://bank.test/keys', 'k1', 'bank')).toMatchObject({ kty: 'EC' });
    for (let n = 0; n < 1_100; n += 1) {
      await keys.find(`https://tenant.test/${n}`, 'k1', 'tenant').catch(() => undefined);
    }
    documents.away = 'https://bank.test/keys';
    clock.now += 700_000;
    expect(await keys.find('https://bank.test/keys', 'k1', 'bank')).toMatchObject({ kty: 'EC' });
  });

  it('of applications that anybody registered take nothing of those of their organization (S309)', async () => {
    const { keys } = setUp();
    const orgId = 'org' as OrgId;
    const address = (n: number) => `https://stranger-${n % 2}.test/${n}`;
    for (let n = 0; n < 60; n += 1) {
      const live = { jwksUri: address(n), orgId, registration: 'anyone' } as const;
      await keys.open(live, 'k1').catch(() => undefined);
    }
    const stranger = { jwksUri: address(60), orgId, registration: 'anyone' } as const;
    await expect(keys.open(stranger, 'k1')).rejects.toEqual(BUSY);
    expect(await keys.open({ jwksUri: 'https://bank.test/keys', orgId }, 'k1')).toMatchObject({ kty: 'EC' });
  });

  it('of a setting count for no organization', async () => {
    const { documents, keys } = setUp();
    for (const [n] of Array.from({ length: 50 }).entries()) await keys.find(`https://issuer.test/${n}`, 'k1');
    expect(documents.asked).toHaveLength(50);
  });
});
