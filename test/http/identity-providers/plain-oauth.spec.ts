import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { authorizeUrl, codeRequest, redirected, TestBrowser, whoIs } from '../../support/browser-flow.js';
import { given, givenRunning } from '../../support/given.js';
import { anIdentityProvider, chooseProvider } from '../../support/identity-providers.js';
import { PlainOAuthProvider } from '../../support/plain-oauth-provider.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// A provider of OAuth 2.0 alone, which says nothing of users but what its API answers.

const plain = givenRunning(() => PlainOAuthProvider.start());

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

let id: string;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  plain.trouble = undefined;
  plain.read.length = 0;
  const body = { ...plain.settings, name: 'Plain', allowCreation: true };
  ({ id } = await anIdentityProvider(owner, body));
});

let people = 583_230;
function somebody(verified = true): number {
  people += 1;
  plain.user = { id: people, login: `octo-${people}`, name: 'Octo Cat', email: 'shown@elsewhere.test' };
  plain.emails = [
    { email: 'other@elsewhere.test', primary: false, verified: true },
    { email: `octo-${people}@elsewhere.test`, primary: true, verified },
  ];
  return people;
}

async function signIn(changes: (back: URL) => void = () => undefined): Promise<LightMyRequestResponse> {
  const browser = new TestBrowser(api);
  const begun = await browser.get(authorizeUrl(codeRequest(client)));
  const there = await fetch(await chooseProvider(browser, begun, id), { redirect: 'manual' });
  const back = new URL(there.headers.get('location') ?? '');
  changes(back);
  return await browser.get(back);
}

const problemOf = (answered: LightMyRequestResponse): string | null => redirected(answered).get('idp');

describe('an application that wants a new sign-in (S497)', () => {
  const named = () => ({ scope: `openid urn:zitadel:iam:org:idp:id:${id}` });

  it.each([{ prompt: 'login' }, { max_age: '60' }])(
    'gets none by a provider that answers by a session of its own: %o',
    async (parameters) => {
      for (const more of [{}, named()]) {
        const browser = new TestBrowser(api);
        const begun = await browser.get(authorizeUrl(codeRequest(client, { ...parameters, ...more })));
        const url = begun.headers.location ?? '';
        const page = await browser.get(url);
        expect(page.statusCode, page.headers.location).toBe(200);
        expect(page.body).not.toContain(`/login/idps/${id}`);
        expect(page.body).toContain('That is not possible with');
        const flow = new URL(url, 'https://id.test').searchParams.get('flow') ?? '';
        const sent = await browser.get(`/login/idps/${id}?flow=${flow}`);
        expect(redirected(sent).get('idp')).toBe('idp-refused');
      }
    },
  );

  it('is sent there without that wish', async () => {
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client)));
    expect((await browser.get(begun.headers.location ?? '')).body).toContain(`/login/idps/${id}`);
    const other = await browser.get(authorizeUrl(codeRequest(client, named())));
    expect((await browser.get(other.headers.location ?? '')).headers.location).toContain(`/login/idps/${id}`);
  });
});

describe('a provider of plain OAuth 2.0', () => {
  it('signs people in by what its API says, and knows them by their number', async () => {
    const number = somebody();
    const first = await whoIs(api, client, await signIn());
    expect(first).toMatchObject({
      name: 'Octo Cat',
      email: `octo-${number}@elsewhere.test`,
      email_verified: true,
    });
    expect(plain.asked.get('scope')).toBe('read:user user:email');
    expect(plain.asked.get('code_challenge_method')).toBe('S256');
    expect(plain.asked.has('nonce')).toBe(false);
    expect(plain.read).toEqual(['/user', '/user/emails']);
    // another name and address there, and the same person
    plain.user = { ...plain.user, login: 'renamed', name: 'Renamed' };
    plain.emails = [{ email: 'renamed@elsewhere.test', primary: true, verified: true }];
    expect(await whoIs(api, client, await signIn())).toMatchObject({ sub: first['sub'] });
    const { rows } = await api.sql.query<{ subject: string }>('SELECT subject FROM user_identities');
    expect(rows).toEqual([{ subject: String(number) }]);
  });

  it('proves no address that it does not call verified, nor one that it merely shows', async () => {
    somebody(false);
    expect((await signIn()).headers.location).toContain('/register/verify?id=');
    somebody();
    for (const emails of [[], 'nonsense', [{ email: 'x@elsewhere.test', primary: false, verified: true }]]) {
      plain.emails = emails;
      expect((await signIn()).headers.location).toContain('/register/external?flow=');
    }
  });

  it.each([
    ['the code is refused with status 200', 'error with status 200', 'idp-refused'],
    ['the API is away', 'user is away', 'idp-unavailable'],
    ['the API refuses the token', 'user is refused', 'idp-refused'],
  ] as const)('signs nobody in where %s', async (_, trouble, problem) => {
    somebody();
    plain.trouble = trouble;
    expect(problemOf(await signIn())).toBe(problem);
  });

  it.each([undefined, null, '', {}, 1.5, 'x'.repeat(256)])(
    'signs nobody in whose number is %j',
    async (number) => {
      somebody();
      plain.user = { ...plain.user, id: number };
      expect(problemOf(await signIn())).toBe('idp-refused');
    },
  );

  it('signs nobody in with a code of another sign-in, or without one', async () => {
    somebody();
    expect(problemOf(await signIn((back) => back.searchParams.set('code', 'of another')))).toBe(
      'idp-refused',
    );
    expect(problemOf(await signIn((back) => back.searchParams.delete('code')))).toBe('idp-refused');
    expect((await signIn((back) => back.searchParams.set('state', 'of another'))).statusCode).toBe(400);
  });
});
