import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { ChannelError } from '../../src/domain/notifications/channels.js';
import { HttpBackChannel } from '../../src/outbound/http-back-channel.js';
import { eventually } from './support/eventually.js';
import { makeCertificate, RelyingParty, type Reply, type TestCertificate } from './support/relying-party.js';

let party: RelyingParty;
let canary: RelyingParty;
let tlsParty: RelyingParty;
let certificate: TestCertificate;

const door = (privateAddresses: 'allow' | 'refuse') =>
  new HttpBackChannel({ app: readConfig({ OUTBOUND_PRIVATE_ADDRESSES: privateAddresses }) });
const open = door('allow');
const strict = door('refuse');

beforeAll(async () => {
  certificate = makeCertificate();
  party = await RelyingParty.start();
  canary = await RelyingParty.start();
  tlsParty = await RelyingParty.start(certificate);
});
afterAll(async () => {
  await Promise.all([party.stop(), canary.stop(), tlsParty.stop()]);
  certificate.remove();
});
beforeEach(() => {
  party.received.length = 0;
});

async function failure(work: Promise<void>): Promise<ChannelError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ChannelError) return error;
    throw error;
  }
  throw new Error('it was delivered');
}

function replying(reply: Reply): RelyingParty {
  party.reply = () => reply;
  return party;
}

describe('a delivery', () => {
  it.each([200, 204, 299])('that is answered with %i is done', async (status) => {
    await open.deliver(replying(status).uri(), 'a.b.c');
    expect(party.received).toHaveLength(1);
    expect(party.received[0]?.contentType).toBe('application/x-www-form-urlencoded');
    expect([...(party.received[0]?.form ?? [])]).toEqual([['logout_token', 'a.b.c']]);
  });

  it('that the application refuses is over', async () => {
    const error = await failure(open.deliver(replying(400).uri(), 'a.b.c'));
    expect(error).toMatchObject({ reason: 'http_400', failure: 'terminal' });
  });

  it.each([401, 404, 408, 500, 503])('that is answered with %i may be tried again', async (status) => {
    const error = await failure(open.deliver(replying(status).uri(), 'a.b.c'));
    expect(error).toMatchObject({ reason: `http_${status}`, failure: 'retryable', retryAfterMs: undefined });
  });

  it('waits as long as it is asked to, within reason', async () => {
    for (const [header, expected] of [
      ['7', 7_000],
      ['999999', 1_800_000],
      ['soon', undefined],
    ] as const) {
      const headers = { 'retry-after': header };
      const error = await failure(open.deliver(replying({ status: 429, headers }).uri(), 'a.b.c'));
      expect(error.retryAfterMs).toBe(expected);
    }
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect (%i)', async (status) => {
    const headers = { location: canary.uri() };
    const error = await failure(open.deliver(replying({ status, headers }).uri(), 'a.b.c'));
    expect(error).toMatchObject({ reason: `http_${status}`, failure: 'retryable' });
    expect(canary.connections).toBe(0);
  });

  it('does not wait for an answer that does not come, nor for one that does not end', async () => {
    const silent = await failure(open.deliver(replying('hang').uri(), 'a.b.c'));
    expect(silent).toMatchObject({ reason: 'timeout', failure: 'retryable' });
    await open.deliver(replying('endless').uri(), 'a.b.c');
    await eventually('the line to be cut', 3_000, () => party.connections === 0);
  });

  it('finds nobody: tried again, without saying where', async () => {
    const dropped = await failure(open.deliver(replying('drop').uri(), 'a.b.c'));
    expect(dropped).toMatchObject({ reason: 'connection', failure: 'retryable' });
    const gone = await RelyingParty.start();
    const uri = gone.uri();
    await gone.stop();
    expect(await failure(open.deliver(uri, 'a.b.c'))).toMatchObject({ reason: 'connection' });
    const unknown = await failure(open.deliver('http://no-such-host.invalid/', 'a.b.c'));
    expect(unknown).toMatchObject({ reason: 'dns', failure: 'retryable', message: 'dns' });
  });

  it('believes no certificate that it does not know', async () => {
    const error = await failure(open.deliver(tlsParty.uri('/out', 'localhost'), 'a.b.c'));
    expect(error).toMatchObject({ reason: 'tls', failure: 'retryable' });
    expect(tlsParty.received).toEqual([]);
  });
});

describe('an internal address (S162)', () => {
  it('is refused as an address and as a name, before anything is sent', async () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      '[::ffff:127.0.0.1]',
      'localhost',
    ]) {
      const error = await failure(strict.deliver(canary.uri('/out', host), 'a.b.c'));
      expect(error, host).toMatchObject({ reason: 'address_refused', failure: 'retryable' });
    }
    expect(canary.received).toEqual([]);
  });

  it('is reached when that is allowed, by name as well', async () => {
    await open.deliver(replying(200).uri('/out', 'localhost'), 'a.b.c');
    expect(party.received).toHaveLength(1);
  });

  it('stays refused in any case where it is nobody’s application', async () => {
    for (const host of ['0.0.0.0', '0', '169.254.169.254', '[::]', '[fe80::1]', '[::ffff:a9fe:a9fe]']) {
      const error = await failure(open.deliver(canary.uri('/out', host), 'a.b.c'));
      expect(error, host).toMatchObject({ reason: 'address_refused', failure: 'retryable' });
    }
    expect(canary.received).toEqual([]);
  });
});
