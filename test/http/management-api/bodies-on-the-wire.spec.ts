import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { useApi } from '../../support/api.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization } from '../../support/world.js';

let port: number;

// What `inject` cannot show: bodies that are cut, doubled, endless or not read to their end.

const api = useApi();
const owner = given(async () => aServiceUser(await anOrganization(api), 'ORG_OWNER'));
beforeAll(async () => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.getHttpServer().address() as AddressInfo).port;
});

/** Sends the pieces on one connection, as fast as they are taken, and gives the statuses that come back. */
async function exchange(answers: number, ...pieces: readonly (string | Buffer)[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1] ?? '');
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      if (statuses().length === answers) resolve();
    });
    socket.on('close', () => resolve());
  });
  socket.on('error', () => undefined);
  for (const piece of pieces) {
    if (!socket.write(piece)) await once(socket, 'drain');
  }
  await answered;
  socket.destroy();
  return statuses();
}

const post = (headers: Readonly<Record<string, string>>) =>
  [
    'POST /management/v1/users/human/_import HTTP/1.1',
    'host: id.test',
    `authorization: Bearer ${owner.pat}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
const last = 'GET /debug/healthz HTTP/1.1\r\nhost: id.test\r\nconnection: close\r\n\r\n';

it('refuses an announced body that is too large without waiting for it', async () => {
  const head = post({ 'content-type': 'application/json', 'content-length': '20000000' });
  expect(await exchange(1, head, Buffer.alloc(1_000))).toEqual(['413']);
});

it('refuses an endless body as soon as there is too much of it, and keeps none of it', async () => {
  const head = post({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
  const before = process.memoryUsage.rss();
  const chunks = Array.from({ length: 1_000 }, () => chunk);
  expect(await exchange(1, head, ...chunks)).toEqual(['413']);
  expect(await exchange(2, head, ...chunks, '0\r\n\r\n', last)).toEqual(['413', '200']);
  // 128 MB went through this process, which is both ends of the wire
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
});

it('goes on with the next request after a body that it did not want', async () => {
  const head = post({ 'content-type': 'text/plain', 'content-length': '11' });
  expect(await exchange(2, head, 'hello world', last)).toEqual(['415', '200']);
});

it('refuses two lengths that contradict each other', async () => {
  const body = JSON.stringify(record());
  const json = { 'content-type': 'application/json' };
  const length = { 'content-length': String(body.length) };
  expect(await exchange(1, post({ ...json, ...length, 'transfer-encoding': 'chunked' }), body)).toEqual([
    '400',
  ]);
  expect(await exchange(1, post({ ...json, ...length, 'Content-Length': '5' }), body)).toEqual(['400']);
});

it('survives a caller who hangs up in the middle', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(post({ 'content-type': 'application/json', 'content-length': '1000' }) + '{"userName');
  await once(socket, 'connect');
  socket.destroy();
  expect(await exchange(1, last)).toEqual(['200']);
});
