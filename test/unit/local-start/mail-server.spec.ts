import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { givenValue } from '../../../scripts/local-settings.mjs';
import { mailServerFault } from '../../../scripts/mail-server.mjs';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serverThatSays(greeting: string | undefined): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (greeting === undefined) return;
    socket.end(greeting);
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('what npm start says of the server of SMTP_URL', () => {
  it('is nothing when it greets as a mail server does', async () => {
    const port = await serverThatSays('220 mail.test ESMTP\r\n');
    expect(await mailServerFault(`smtp://ada:secret@127.0.0.1:${port}`)).toBeUndefined();
  });

  it('is host, port and cause when nobody listens, and no account', async () => {
    const port = await serverThatSays('');
    servers.pop()?.close();
    const fault = await mailServerFault(`smtp://ada:secret@127.0.0.1:${port}/?pool=true`);
    expect(fault).toBe(`The mail server at 127.0.0.1:${port} does not answer (ECONNREFUSED)`);
  });

  it.each([
    [undefined, 'ETIMEDOUT'],
    ['HTTP/1.1 400 Bad Request\r\n', 'it is no mail server'],
    ['', 'it hung up'],
  ])('is the cause when the answer is %j', async (greeting, cause) => {
    const port = await serverThatSays(greeting);
    expect(await mailServerFault(`smtp://127.0.0.1:${port}`, 300)).toContain(`(${cause})`);
  });

  it('is of the server in a file as well', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'smtp-url-'));
    const file = path.join(folder, 'smtp_url');
    writeFileSync(file, 'smtp://127.0.0.1:2525\n');
    expect(givenValue('SMTP_URL', { SMTP_URL_FILE: file })).toBe('smtp://127.0.0.1:2525');
    expect(givenValue('SMTP_URL', { SMTP_URL: 'smtp://a.test', SMTP_URL_FILE: '' })).toBe('smtp://a.test');
    expect(givenValue('SMTP_URL', {})).toBeUndefined();
    rmSync(folder, { recursive: true });
    expect(givenValue('SMTP_URL', { SMTP_URL_FILE: file })).toBeUndefined();
    // and the start asks by it
    const start = readFileSync(path.resolve('scripts/start.mjs'), 'utf8');
    expect(start).toContain("tryMailServer(givenValue('SMTP_URL'))");
  });

  it('is left to the settings for what is no URL of a mail server', async () => {
    expect(await mailServerFault('mail.test')).toBeUndefined();
  });
});
