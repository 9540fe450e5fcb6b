import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  basic,
  codeRequest,
  obtainTokens,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const codeOnly = given(() => anApplication(world, { grantTypes: ['authorization_code'] }));
const lapsed = given(() => anApplication(world));
const user = given(() => aUser(world));

describe('grant_type (S085, S086)', () => {
  it.each([
    ['missing', {}, 'invalid_request'],
    ['empty', { grant_type: '' }, 'invalid_request'],
    ['password', { grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    ['in capitals', { grant_type: 'AUTHORIZATION_CODE', code: 'x' }, 'unsupported_grant_type'],
    ['with a space', { grant_type: 'refresh_token ', refresh_token: 'x' }, 'unsupported_grant_type'],
    ['implicit', { grant_type: 'implicit' }, 'unsupported_grant_type'],
    ['client_credentials', { grant_type: 'client_credentials' }, 'unauthorized_client'],
    [
      'token exchange',
      { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' },
      'unauthorized_client',
    ],
    ['__proto__', { grant_type: '__proto__' }, 'unsupported_grant_type'],
    ['constructor', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['10 kB', { grant_type: 'x'.repeat(10_000) }, 'unsupported_grant_type'],
    ['markup', { grant_type: '<script>"\\' }, 'unsupported_grant_type'],
  ])('%s', async (_name, form, error) => {
    expectOAuthError(await requestToken(api, form, basic(client)), 400, error);
  });

  it('not enabled for the client', async () => {
    expectOAuthError(await refreshTokens(api, codeOnly, { refresh_token: 'x' }), 400, 'unauthorized_client');
    const own = { grant_type: 'client_credentials' };
    expectOAuthError(await requestToken(api, own, basic(codeOnly)), 400, 'unauthorized_client');
    // taken from it after the code was issued: without the grant type there would be none
    const code = redirected(await new TestBrowser(api).signIn(codeRequest(lapsed), user)).get('code') ?? '';
    await api.sql.query(`UPDATE applications SET grant_types = '{implicit}' WHERE id = $1`, [lapsed.id]);
    expectOAuthError(await requestToken(api, redemption(code), basic(lapsed)), 400, 'unauthorized_client');
  });

  it('without refresh_token gives no refresh token, whatever the scope (S084)', async () => {
    const tokens = await obtainTokens(api, codeOnly, user);
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(tokens.scope).toBe('openid profile email');
  });
});

describe('a parameter', () => {
  it.each([
    ['code', { grant_type: 'authorization_code', redirect_uri: 'https://rp.test/cb' }],
    ['redirect_uri', { grant_type: 'authorization_code', code: 'x' }],
    ['refresh_token', { grant_type: 'refresh_token' }],
  ])('%s is missed by name', async (name, form) => {
    for (const value of [undefined, '']) {
      const sent = { ...(form as Record<string, string>), ...(value === undefined ? {} : { [name]: value }) };
      const response = await requestToken(api, sent, basic(client));
      expect(expectOAuthError(response, 400, 'invalid_request')).toBe(`${name} missing`);
    }
  });

  it.each([
    'grant_type',
    'code',
    'redirect_uri',
    'client_id',
    'scope',
    'audience',
    'nobody-knows-me',
    '__proto__',
  ])('%s may come once (S068)', async (name) => {
    const form = new URLSearchParams(redemption('x'));
    if (!form.has(name)) form.append(name, 'a');
    form.append(name, 'b');
    const response = await postForm(api, '/oauth/v2/token', form.toString(), basic(client));
    expect(expectOAuthError(response, 400, 'invalid_request')).toContain('repeated');
  });

  it('of strange name is not repeated in the answer', async () => {
    const name = '"><script>\r\n';
    const payload = new URLSearchParams([
      [name, 'a'],
      [name, 'b'],
    ]).toString();
    const response = await postForm(api, '/oauth/v2/token', payload);
    expect(expectOAuthError(response, 400, 'invalid_request')).toBe('a parameter must not be repeated');
  });

  it('that nobody knows is ignored', async () => {
    const code = redirected(await new TestBrowser(api).signIn(codeRequest(client), user)).get('code') ?? '';
    const form = redemption(code, { extra: 'x', constructor: 'y', resource: 'z' });
    expect((await requestToken(api, form, basic(client))).statusCode).toBe(200);
  });
});
