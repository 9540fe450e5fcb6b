import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { basic, codeRequest, obtainTokens, redemption, requestToken } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { anOrganization } from '../../support/world.js';
import { expectErrorPage, expectOAuthError } from './support/answers.js';

const TOKEN = '/oauth/v2/token';

let port: number;

const api = useApi();
const client = given(async () => anApplication(await anOrganization(api)));
beforeAll(async () => {
  await api.app.listen(0, '127.0.0.1');
  port = Number(new URL(await api.app.getUrl()).port);
});

/** Sends bytes as they are and gives all that comes back until the server closes or falls silent. */
async function sendRaw(text: string): Promise<{ answer: string; closed: boolean }> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setTimeout(30_000, () => {
      socket.destroy();
      resolve({ answer, closed: false });
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('end', () => resolve({ answer, closed: true }));
    socket.on('error', reject);
  });
}

describe('bodies that are no form (S004)', () => {
  it.each([
    ['JSON', 'application/json', JSON.stringify(redemption('x'))],
    ['broken JSON', 'application/json', '{'],
    ['text', 'text/plain', 'grant_type=authorization_code'],
    ['XML', 'application/xml', '<a/>'],
    ['multipart', 'multipart/form-data; boundary=x', '--x--'],
    ['a form in UTF-16', 'application/x-www-form-urlencoded; charset=utf-16', 'grant_type=refresh_token'],
    [
      'a form in Latin-1',
      'application/x-www-form-urlencoded;charset="iso-8859-1"',
      'grant_type=refresh_token',
    ],
    ['a media type that is none', 'nonsense', 'grant_type=refresh_token'],
  ])('%s is refused at the token endpoint', async (_name, type, payload) => {
    const headers = { 'content-type': type, ...basic(client) };
    const response = await api.app.inject({ method: 'POST', url: TOKEN, headers, payload });
    expectOAuthError(response, 400, 'invalid_request');
  });

  it.each(['/login', '/logout', '/oauth/v2/authorize', '/oidc/v1/end_session'])(
    'JSON is refused by the page %s',
    async (url) => {
      const headers = { 'content-type': 'application/json' };
      expectErrorPage(await api.app.inject({ method: 'POST', url, headers, payload: '{}' }), 400);
    },
  );

  it.each([
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded;charset=UTF-8',
    'application/x-www-form-urlencoded; charset="utf-8"; x=y',
    'Application/X-WWW-Form-Urlencoded',
  ])('a form is read when it says %s', async (type) => {
    const headers = { 'content-type': type, ...basic(client) };
    const payload = 'grant_type=refresh_token&refresh_token=rt_x';
    const response = await api.app.inject({ method: 'POST', url: TOKEN, headers, payload });
    expectOAuthError(response, 400, 'invalid_grant');
  });

  it('an empty body is a request without parameters', async () => {
    const bare = await requestToken(api, {}, basic(client));
    expect(expectOAuthError(bare, 400, 'invalid_request')).toBe('grant_type missing');
    const untyped = await api.app.inject({ method: 'POST', url: TOKEN, headers: basic(client) });
    expectOAuthError(untyped, 400, 'invalid_request');
  });
});

describe('more than anybody needs (S005)', () => {
  it('refuses 20 MB without taking them in', async () => {
    const before = process.memoryUsage().rss;
    const payload = Buffer.alloc(20 * 1024 * 1024, 'a=b&');
    const response = await fetch(`http://127.0.0.1:${port}${TOKEN}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: payload,
    }).catch(() => undefined);
    // the server may hang up before all was sent, which fetch reports as a failure
    if (response !== undefined) expect(response.status).toBe(400);
    expect(process.memoryUsage().rss - before).toBeLessThan(120 * 1024 * 1024);
    expect((await api.app.inject('/oauth/v2/keys')).statusCode).toBe(200);
  });

  it('reads thousands of parameters without trouble, and refuses the repeated one', async () => {
    const payload = `${Array.from({ length: 6000 }, (_, n) => `p${n}=1`).join('&')}&p7=2`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await api.app.inject({ method: 'POST', url: TOKEN, headers, payload });
    expect(expectOAuthError(response, 400, 'invalid_request')).toContain('p7 must not be repeated');
  });

  it('refuses headers beyond what Node takes', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/oidc/v1/userinfo`, {
      headers: { authorization: `Bearer ${'a'.repeat(40_000)}` },
    });
    expect(response.status).toBe(431);
  });

  it('refuses a token of 12 KB at once (S119)', async () => {
    for (const token of [`at_${'a'.repeat(12_400)}`, `${'a.'.repeat(6200)}a`, `pat_${'a'.repeat(9000)}`]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await api.app.inject({ url: '/oidc/v1/userinfo', headers })).statusCode).toBe(401);
    }
  });

  // what is issued must also be accepted: the longest scope that passes gives tokens that work
  it('takes the tokens that the longest scope makes', async () => {
    const world = await anOrganization(api);
    const user = await aUser(world);
    const scopes = ['openid', 'offline_access'];
    for (let n = 0; scopes.join(' ').length < 4000; n += 1) {
      const { rows } = await api.sql.query<{ id: string }>(
        `INSERT INTO projects (org_id, name) VALUES ($1, $2) RETURNING id`,
        [world.orgId, `One of many ${n}`],
      );
      scopes.push(`urn:zitadel:iam:org:project:id:${rows[0]?.id ?? ''}:aud`);
    }
    for (const accessTokenType of ['opaque', 'jwt'] as const) {
      const long = await anApplication(world, { accessTokenType });
      const tokens = await obtainTokens(api, long, user, { scope: scopes.join(' ') });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      expect((await api.app.inject({ url: '/oidc/v1/userinfo', headers })).statusCode).toBe(200);
    }
  });
});

describe('requests that two servers could read differently (S004)', () => {
  const tail = 'Host: id.test\r\nContent-Type: application/x-www-form-urlencoded\r\n';
  it.each([
    ['two lengths', `POST ${TOKEN} HTTP/1.1\r\n${tail}Content-Length: 3\r\nContent-Length: 4\r\n\r\na=b`],
    [
      'a length and chunks',
      `POST ${TOKEN} HTTP/1.1\r\n${tail}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an unknown coding',
      `POST ${TOKEN} HTTP/1.1\r\n${tail}Transfer-Encoding: chunked, xchunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a bare line feed', `GET /oauth/v2/keys HTTP/1.1\nHost: id.test\n X: y\n\n`],
    ['no host', `GET /oauth/v2/keys HTTP/1.1\r\n\r\n`],
  ])('%s: refused, and the connection closed', async (_name, bytes) => {
    const { answer, closed } = await sendRaw(`${bytes}GET /debug/healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toContain('200 OK');
    expect(closed).toBe(true);
  });

  it('a line break in a parameter stays a parameter', async () => {
    const request = new URLSearchParams(codeRequest(client, { state: 'a\r\nSet-Cookie: evil=1' })).toString();
    const { answer } = await sendRaw(
      `GET /oauth/v2/authorize?${request}&prompt=none HTTP/1.1\r\nHost: id.test\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 302 /);
    expect(answer).not.toMatch(/^set-cookie: evil/im);
    expect(answer).toContain('state=a%0D%0ASet-Cookie%3A+evil%3D1');
  });
});
