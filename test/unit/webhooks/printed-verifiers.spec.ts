import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signedHeaders } from '../../../src/domain/webhooks/webhook-signature.js';
import { webhookSignature } from '../../../src/outbound/webhooks/webhook-signature.js';

// S244. What the pages tell people to copy is run here as it is printed, against what the service signs.

const folder = mkdtempSync(path.join(tmpdir(), 'verifiers-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The one block of JavaScript of a page that has a function of that name. */
async function printed(page: string, name: string): Promise<unknown> {
  const text = readFileSync(path.join(import.meta.dirname, '../../../docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const [code = '', ...others] = blocks.filter((block) => block.includes(`function ${name}(`));
  expect(others).toEqual([]);
  const file = path.join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return await import(/* @vite-ignore */ pathToFileURL(file).href);
}

const NOW = new Date('2026-01-31T07:59:13Z');
const SECONDS = NOW.getTime() / 1000;
const MINUTE_MS = 60_000;
const SIX_MINUTES = 360;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the verifier of docs/webhooks.md', async () => {
  type Headers = Readonly<Record<string, string | undefined>>;
  const { isGenuine, receive } = (await printed('webhooks.md', 'isGenuine')) as {
    readonly isGenuine: (headers: Headers, body: string | Buffer, secret: string) => boolean;
    readonly receive: (
      headers: Headers,
      body: string | Buffer,
      secret: string,
      act: (event: unknown) => Promise<void>,
    ) => Promise<number>;
  };
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const other = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const body = '{"type":"user.locked","data":{"id":"8211","name":"Zoë"}}';
  const sent = (id: string, atSeconds = SECONDS, secrets = [secret]) =>
    signedHeaders({ id, atSeconds, body }, secrets);

  it('takes what the service signs, by either of two secrets, and bytes as text', () => {
    expect(isGenuine(sent('a'), body, secret)).toBe(true);
    expect(isGenuine(sent('a'), Buffer.from(body), secret)).toBe(true);
    expect(isGenuine(sent('a', SECONDS, [other, secret]), body, secret)).toBe(true);
    expect(isGenuine(sent('a', SECONDS, [other, secret]), body, other)).toBe(true);
    expect(isGenuine(sent('a', SECONDS - 290), body, secret)).toBe(true);
  });

  it.each<[string, Headers, string?]>([
    ['another body', sent('a'), body.replace('8211', '8212')],
    ['another id', { ...sent('a'), 'webhook-id': 'b' }],
    ['another time', { ...sent('a', SECONDS - SIX_MINUTES), 'webhook-timestamp': String(SECONDS) }],
    ['six minutes ago', sent('a', SECONDS - SIX_MINUTES)],
    ['six minutes from now', sent('a', SECONDS + SIX_MINUTES)],
    ['a secret that was replaced', sent('a', SECONDS, [other])],
    ['no signature', { ...sent('a'), 'webhook-signature': undefined }],
    ['an empty signature', { ...sent('a'), 'webhook-signature': '' }],
    ['a short signature', { ...sent('a'), 'webhook-signature': 'v1,AAAA' }],
    ['no time', { ...sent('a'), 'webhook-timestamp': undefined }],
    ['a time that is none', { ...sent('a'), 'webhook-timestamp': 'now' }],
    ['no headers', {}],
  ])('refuses %s', async (_, headers, changed = body) => {
    expect(isGenuine(headers, changed, secret)).toBe(false);
    const act = vi.fn<() => Promise<void>>();
    expect(await receive(headers, changed, secret, act)).toBe(401);
    expect(act).not.toHaveBeenCalled();
  });

  it('acts on an id once, however often it comes, also at once and signed anew', async () => {
    const act = vi.fn<(event: unknown) => Promise<void>>();
    const answers = await Promise.all(
      [1, 2, 3].map(async () => await receive(sent('once'), body, secret, act)),
    );
    expect(answers).toEqual([204, 204, 204]);
    vi.setSystemTime(NOW.getTime() + 240 * MINUTE_MS);
    expect(await receive(sent('once', SECONDS + 240 * 60), body, secret, act)).toBe(204);
    expect(act.mock.calls).toEqual([[JSON.parse(body)]]);
    expect(await receive(sent('next', SECONDS + 240 * 60), body, secret, act)).toBe(204);
    expect(act).toHaveBeenCalledTimes(2);
  });

  it('takes an id again that could not be acted on', async () => {
    const act = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('the database is away'));
    expect(await receive(sent('failed'), body, secret, act)).toBe(500);
    expect(await receive(sent('failed'), body, secret, act)).toBe(204);
    expect(await receive(sent('failed'), body, secret, act)).toBe(204);
    expect(act).toHaveBeenCalledTimes(2);
  });
});

describe('the verifier of docs/just-in-time-migration.md', async () => {
  const { isFromIdentityService } = (await printed('just-in-time-migration.md', 'isFromIdentityService')) as {
    readonly isFromIdentityService: (
      header: string | undefined,
      body: string | Buffer,
      secret: string,
    ) => boolean;
  };
  const secret = 'a secret of the organization';
  const body = '{"loginName":"zoë","password":"as it was typed"}';
  const signed = (atSeconds = SECONDS, key = secret) => webhookSignature(key, atSeconds, body);

  it('takes what the service signs, as bytes or text', () => {
    expect(isFromIdentityService(signed(), body, secret)).toBe(true);
    expect(isFromIdentityService(signed(), Buffer.from(body), secret)).toBe(true);
    expect(isFromIdentityService(signed(SECONDS - 290), body, secret)).toBe(true);
  });

  it.each<[string, string | undefined, string?]>([
    ['another body', signed(), body.replace('zoë', 'grace')],
    ['another time', signed(SECONDS - SIX_MINUTES).replace(/t=\d+/, `t=${SECONDS}`)],
    ['six minutes ago', signed(SECONDS - SIX_MINUTES)],
    ['six minutes from now', signed(SECONDS + SIX_MINUTES)],
    ['another secret', signed(SECONDS, 'another')],
    ['a signature that is cut off', signed().slice(0, -2)],
    ['no signature', undefined],
    ['another header', 'v1=00'],
  ])('refuses %s', (_, header, changed = body) => {
    expect(isFromIdentityService(header, changed, secret)).toBe(false);
  });
});
