import type { JSONWebKeySet } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../../src/domain/shared/rate-limiter.js';
import { aReplica, useApi } from '../../support/api.js';

const KEYS = '/oauth/v2/keys';
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const api = useApi();
afterEach(() => {
  vi.restoreAllMocks();
});

describe('the key set', () => {
  it('holds public members only, each key with kid, use and alg (S015)', async () => {
    const response = await api.app.inject(KEYS);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    const { keys } = response.json<JSONWebKeySet>();
    expect(keys).toEqual([
      {
        kty: 'RSA',
        n: expect.stringMatching(/^[A-Za-z0-9_-]{342}$/) as string,
        e: 'AQAB',
        kid: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/) as string,
        alg: 'RS256',
        use: 'sig',
      },
      // for applications under FAPI 2.0
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
        y: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
        kid: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/) as string,
        alg: 'ES256',
        use: 'sig',
      },
    ]);
    for (const key of keys) for (const member of PRIVATE_MEMBERS) expect(key).not.toHaveProperty(member);
  });

  it('may be kept by any cache, for less than a quarter of the lead time', async () => {
    const { headers } = await api.app.inject(KEYS);
    expect(headers['cache-control']).toBe('public, max-age=300, must-revalidate');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers.etag).toMatch(/^"[A-Za-z0-9_-]+"$/);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each([
    ['the tag itself', (etag: string) => etag, 304],
    ['the tag marked weak by a cache', (etag: string) => `W/${etag}`, 304],
    ['a list with the tag', (etag: string) => `"older", ${etag}`, 304],
    ['any tag', () => '*', 304],
    ['another tag', () => '"older"', 200],
    ['a part of the tag', (etag: string) => etag.slice(0, 8), 200],
    ['nothing', () => '', 200],
  ])('answers If-None-Match with %s', async (_name, header, status) => {
    const etag = String((await api.app.inject(KEYS)).headers.etag);
    const response = await api.app.inject({ url: KEYS, headers: { 'if-none-match': header(etag) } });
    expect(response.statusCode).toBe(status);
    expect(response.headers.etag).toBe(etag);
    expect(response.headers['cache-control']).toBe('public, max-age=300, must-revalidate');
    expect(response.body === '').toBe(status === 304);
  });

  it('answers HEAD like GET, without the body', async () => {
    const response = await api.app.inject({ method: 'HEAD', url: KEYS });
    expect(response.statusCode).toBe(200);
    expect(response.headers.etag).toMatch(/^"/);
    expect(response.body).toBe('');
  });

  it('gives the same answer to every one of many callers (S016)', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => api.app.inject(KEYS)));
    expect(new Set(answers.map((answer) => `${answer.statusCode} ${answer.body}`)).size).toBe(1);
    expect(answers[0]?.statusCode).toBe(200);
  });

  it.each([
    ['X-Forwarded-For', { 'x-forwarded-for': '127.0.0.1' }],
    [
      'a list of fifty',
      { 'x-forwarded-for': Array.from({ length: 50 }, (_, n) => `10.0.0.${n}`).join(', ') },
    ],
    ['Forwarded', { forwarded: 'for=127.0.0.1' }],
    ['X-Real-IP', { 'x-real-ip': '127.0.0.1' }],
  ])('counts the real peer, whatever %s says (S009)', async (_name, headers) => {
    const tally = vi.spyOn(api.app.get(RateLimiter, { strict: false }), 'tally');
    await api.app.inject({ url: KEYS, headers, remoteAddress: '192.0.2.8' });
    expect(tally).toHaveBeenCalledExactlyOnceWith('keys', '192.0.2.8', expect.any(Number));
  });

  it('counts the address that a proxy of ours names, and no hop before it', async () => {
    const proxied = await aReplica(api, { TRUSTED_PROXIES: '192.0.2.1' });
    const tally = vi.spyOn(proxied.app.get(RateLimiter, { strict: false }), 'tally');
    const headers = { 'x-forwarded-for': '127.0.0.1, 198.51.100.7' };
    await proxied.app.inject({ url: KEYS, headers, remoteAddress: '192.0.2.1' });
    await proxied.app.inject({ url: KEYS, headers, remoteAddress: '192.0.2.2' });
    expect(tally.mock.calls.map(([, source]) => source)).toEqual(['198.51.100.7', '192.0.2.2']);
  });

  it('says when to come back to an address that asks too often', async () => {
    const limiter = api.app.get(RateLimiter, { strict: false });
    const tally = vi.spyOn(limiter, 'tally').mockReturnValue({ allowed: false, retryAfterSeconds: 17 });
    const response = await api.app.inject({ url: KEYS, remoteAddress: '192.0.2.7' });
    expect(tally).toHaveBeenCalledWith('keys', '192.0.2.7', expect.any(Number));
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('17');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.json()).toMatchObject({ error: 'temporarily_unavailable' });
  });
});
