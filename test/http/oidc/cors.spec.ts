import { beforeAll, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { basic, obtainTokens } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

let accessToken: string;

const { api, world } = useWorld();
const client = given(() => anApplication(world, { additionalOrigins: ['https://app.test:8443'] }));
const dormant = given(() => anApplication(world, { additionalOrigins: ['https://dormant.test'] }));
beforeAll(async () => {
  await api.sql.query(`UPDATE applications SET state = 'inactive' WHERE id = $1`, [dormant.id]);
  accessToken = (await obtainTokens(api, client, await aUser(world))).access_token;
});

async function call(url: string, origin: string, method: 'GET' | 'POST' | 'OPTIONS') {
  const token = url.startsWith('/oauth/v2/token');
  return await api.app.inject({
    method,
    url,
    headers: {
      origin,
      ...(token ? basic(client) : { authorization: `Bearer ${accessToken}` }),
      ...(method === 'OPTIONS' ? { 'access-control-request-method': 'POST' } : {}),
    },
  });
}

const CALLABLE = [
  ['POST', '/oauth/v2/token'],
  ['GET', '/oidc/v1/userinfo'],
  ['GET', '/management/v1/users/1'],
  ['GET', '/auth/v1/users/me'],
  ['POST', '/auth/v1/users/me/phone/_resend_verification'],
  ['GET', '/admin/v1/settings/security'],
] as const;

describe('an origin that an application has registered (S007)', () => {
  it.each(CALLABLE)('may call %s %s', async (method, url) => {
    for (const origin of ['https://rp.test', 'https://app.test:8443']) {
      const { headers } = await call(url, origin, method);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers.vary).toBe('Origin');
    }
  });

  it('is told so before it calls', async () => {
    const { statusCode, headers, body } = await call('/oauth/v2/token', 'https://rp.test', 'OPTIONS');
    expect(statusCode).toBe(204);
    expect(body).toBe('');
    expect(headers['access-control-allow-methods']).toContain('POST');
    for (const header of ['Authorization', 'X-Requested-With', 'x-user-agent', 'x-grpc-web']) {
      expect(headers['access-control-allow-headers']).toContain(header);
    }
  });
});

describe('the own account from a registered origin (S007)', () => {
  it.each(['https://rp.test', 'https://app.test:8443'])('%s may ask for every method', async (origin) => {
    for (const url of ['/auth/v1/users/me', '/auth/v1/users/me/profile', '/auth/v1/users/me/sessions']) {
      const { statusCode, headers } = await call(url, origin, 'OPTIONS');
      expect(statusCode).toBe(204);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        expect(headers['access-control-allow-methods']).toContain(method);
      }
      for (const header of ['Authorization', 'Content-Type']) {
        expect(headers['access-control-allow-headers']).toContain(header);
      }
    }
  });
});

describe('any other origin (S007)', () => {
  const STRANGERS = [
    'https://evil.test',
    'null',
    'https://rp.test.evil.test',
    'https://evil-rp.test',
    'http://rp.test',
    'https://rp.test:444',
    'https://RP.test',
    'https://rp.test/',
    'https://rp.test/cb',
    'https://rp.tes',
    'https://dormant.test',
    'https://%',
    "https://rp.test' OR 1=1 --",
    '*',
  ];

  it.each(STRANGERS)('%s is let in nowhere', async (origin) => {
    for (const [method, url] of CALLABLE) {
      for (const asked of [method, 'OPTIONS' as const]) {
        const { headers, statusCode } = await call(url, origin, asked);
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers['access-control-allow-methods']).toBeUndefined();
        expect(statusCode).toBeLessThan(500);
      }
    }
  });

  it('may read what is public', async () => {
    for (const url of ['/.well-known/openid-configuration', '/oauth/v2/keys']) {
      for (const method of ['GET', 'OPTIONS'] as const) {
        const { headers } = await call(url, 'https://evil.test', method);
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(headers['access-control-allow-credentials']).toBeUndefined();
      }
    }
  });

  it('may not read pages', async () => {
    for (const url of ['/oauth/v2/authorize', '/login', '/oidc/v1/end_session', '/']) {
      const { headers } = await call(url, 'https://rp.test', 'GET');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});
