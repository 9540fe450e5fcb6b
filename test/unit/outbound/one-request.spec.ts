import { createServer, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import type { ClaimsCall } from '../../../src/domain/claims-webhook/claims-endpoint.js';
import type { Log } from '../../../src/domain/shared/log.js';
import { guardedFetch } from '../../../src/outbound/guarded-fetch.js';
import { HttpBackChannel } from '../../../src/outbound/http-back-channel.js';
import { HttpClientDocuments } from '../../../src/outbound/http-client-documents.js';
import { OutboundOldSystem } from '../../../src/outbound/outbound-old-system.js';
import { WebhookChannel } from '../../../src/outbound/webhook-channel.js';
import { HttpClaimsEndpoint } from '../../../src/outbound/webhooks/http-claims-endpoint.js';
import { HttpWebhookEndpoint } from '../../../src/outbound/webhooks/http-webhook-endpoint.js';
import { httpProvider, mail } from './providers.js';

const HANG_UP = 'hang up';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const FINE = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

/** What it writes to whatever it is asked; nothing, or it hangs up. */
let reply = SWITCH;
let server: Server;
let url: string;
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.once('data', () => (reply === HANG_UP ? socket.destroy() : socket.write(reply)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  reply = SWITCH;
});

const config = { app: readConfig({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' }) };
const log = { info: () => undefined } as unknown as Log;
const webhooks = new HttpWebhookEndpoint(config, log);
const messages = new WebhookChannel({
  secretOf: () => Promise.resolve('a signing key of thirty-two characters'),
  allowPrivate: true,
  nowSeconds: () => 1_700_000_000,
  timeoutMs: 28_000,
});
const migrations = { openSecret: () => Promise.resolve('secret') } as never;
const oldSystem = () => {
  const system = new OutboundOldSystem(migrations, { nowSeconds: () => 1_700_000_000 } as never, config);
  const migration = { orgId: 'o', kind: 'webhook', deadlineMs: 4_000, settings: { url } } as never;
  return async () => await system.ask(migration, { loginName: 'ada', password: 'a password' });
};
const claims = () => {
  const endpoint = new HttpClaimsEndpoint(webhooks);
  const call: ClaimsCall = { owner: 'o', about: 'u', url, headers: {}, body: '{}', timeoutMs: 4_000 };
  return async () => await endpoint.ask(call, (body) => body);
};

const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a message by webhook': () => messages.sendMail(httpProvider(url), mail),
  'an event': () => webhooks.post(url, {}, '{}', 15_000),
  'a question for claims': () => claims()(),
  'a logout token': () => new HttpBackChannel(config).deliver(url, 'a.b.c'),
  'a document of a client': () => new HttpClientDocuments(config, log).fetch(url, 1000),
  'a question to an old system': () => oldSystem()(),
  'a call to a provider': () => guardedFetch(url, {}, true),
};

/** S361: each of these took a place of a worker, or a request, for ever. */
it.each(Object.entries(CALLS))(
  'ends %s at a server that switches protocols, as where the line drops',
  async (_, call) => {
    const switched = await failureOf(call());
    reply = HANG_UP;
    expect(kindOf(switched)).toEqual(kindOf(await failureOf(call())));
  },
);

it.each([
  ['an old system', oldSystem],
  ['a server of claims', claims],
])('leaves %s alone that switches protocols time after time', async (_, made) => {
  const call = made();
  for (let n = 0; n < 5; n += 1) await failureOf(call());
  reply = FINE;
  expect(String(await failureOf(call()))).toMatch(/circuit_open|not asked for a while/);
});

it('holds its time limit, though memory is cleaned up meanwhile (Node 20)', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  reply = '';
  const cleaning = setInterval(collect, 200);
  try {
    const call = guardedFetch(url, { deadline: AbortSignal.timeout(60_000) }, true);
    const late = new Promise((resolve) => setTimeout(resolve, 8_000, 'still waiting'));
    expect(await Promise.race([failureOf(call), late])).toMatchObject({ name: 'AbortError' });
  } finally {
    clearInterval(cleaning);
  }
});

it('gives up with whoever asks', async () => {
  reply = '';
  expect(await failureOf(guardedFetch(url, { deadline: AbortSignal.timeout(100) }, true))).toMatchObject({
    name: 'AbortError',
  });
  expect(await failureOf(guardedFetch(url, { deadline: AbortSignal.abort() }, true))).toMatchObject({
    name: 'AbortError',
  });
});

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

/** As those see it who ask: by the words of an error of ours, or the code of one of Node's. */
function kindOf(error: unknown): unknown {
  const { code, reason, failure, message } = error as Record<string, unknown>;
  return (
    code ?? (reason === undefined ? String(message).replace(/\b(Error|NoAnswer)\b/, '…') : [reason, failure])
  );
}
