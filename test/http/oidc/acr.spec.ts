import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  IMPLICIT,
  redemption,
  requestToken,
  TestBrowser,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError } from './support/answers.js';

// acr (OpenID Connect Core §2, §5.5.1.1): what really happened, whatever was asked for.

const PASSWORD_CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';

const { api, world } = useWorld();
const client = given(() => anApplication(world, IMPLICIT));
const user = given(() => aUser(world));
const signedIn = given(() => aSignedInBrowser(api, client, user));

const ask = (changes: Record<string, string>, browser = signedIn) =>
  browser.get(authorizeUrl(codeRequest(client, changes)));
const acrClaim = (acr: unknown): string => JSON.stringify({ id_token: { acr } });

async function acrOf(changes: Record<string, string>): Promise<unknown> {
  const { parameters } = answerOf(await ask(changes));
  const code = parameters.get('code');
  const idToken =
    code === null
      ? parameters.get('id_token')
      : (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>().id_token;
  return decodeJwt(idToken ?? '')['acr'];
}

it('is a value that discovery lists', async () => {
  const document = (await api.app.inject('/.well-known/openid-configuration')).json<{
    acr_values_supported: string[];
  }>();
  expect(document.acr_values_supported).toEqual([PASSWORD_CLASS]);
  for (const response_type of ['code', 'id_token', 'id_token token']) {
    expect(await acrOf({ response_type, acr_values: document.acr_values_supported.join(' ') })).toBe(
      PASSWORD_CLASS,
    );
  }
});

it('stays the same at a refresh', async () => {
  const code = answerOf(await ask({})).parameters.get('code') ?? '';
  const { refresh_token } = (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>();
  const form = { grant_type: 'refresh_token', refresh_token };
  const refreshed = (await requestToken(api, form, basic(client))).json<TokenAnswer>();
  expect(decodeJwt(refreshed.id_token)['acr']).toBe(PASSWORD_CLASS);
});

describe('a wish that is not served', () => {
  it.each<[string, Record<string, string>]>([
    ['values nobody knows', { acr_values: '1 2' }],
    ['a value nobody knows beside one that is served', { acr_values: `phrh ${PASSWORD_CLASS}` }],
    ['10 kB of values', { acr_values: 'a '.repeat(5000) }],
    ['control characters', { acr_values: 'a\u0000\r\n' }],
    ['a voluntary claim', { claims: acrClaim({ values: ['phr', 'phrh'] }) }],
    ['a claim by itself', { claims: acrClaim(null) }],
    ['an essential claim without values', { claims: acrClaim({ essential: true }) }],
    [
      'an essential claim that lists what is served',
      { claims: acrClaim({ essential: true, values: ['phr', PASSWORD_CLASS] }) },
    ],
    [
      'an essential claim of userinfo',
      { claims: JSON.stringify({ userinfo: { acr: { essential: true, value: 'phr' } } }) },
    ],
  ])('is ignored, and the token says what happened: %s', async (_name, changes) => {
    expect(await acrOf(changes)).toBe(PASSWORD_CLASS);
  });
});

describe('an essential acr that no sign-in here has', () => {
  const demands: readonly [string, unknown][] = [
    ['one value', { essential: true, value: 'phr' }],
    ['several values', { essential: true, values: ['phr', 'phrh'] }],
    ['no value at all', { essential: true, values: [] }],
    ['something that is no text', { essential: true, value: 1 }],
  ];

  it.each(demands)(
    'is unmet_authentication_requirements, and nobody is asked in vain: %s',
    async (_name, acr) => {
      for (const browser of [signedIn, new TestBrowser(api)]) {
        for (const [changes, by] of [
          [{}, 'query'],
          [{ prompt: 'none' }, 'query'],
          [{ response_type: 'id_token' }, 'fragment'],
          [{ response_mode: 'form_post' }, 'form_post'],
        ] as const) {
          const response = await ask({ claims: acrClaim(acr), ...changes }, browser);
          expectAnsweredError(response, 'unmet_authentication_requirements', { by });
        }
      }
    },
  );
});
