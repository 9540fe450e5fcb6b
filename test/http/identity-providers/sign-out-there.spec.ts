import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { anApplication, POST_LOGOUT_URI } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  TestBrowser,
  tokensOf,
  userinfo,
} from '../../support/browser-flow.js';
import { useForeignProvider } from '../../support/foreign-provider.js';
import { given } from '../../support/given.js';
import { aServedProvider, chooseProvider, onward, signOut } from '../../support/identity-providers.js';
import { proveAddress } from '../../support/prove-address.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// Whoever signs out here is sent to sign out at the provider that they came from.

const foreign = useForeignProvider();

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_FLOW: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

let id: string;
async function addProvider(changes: object): Promise<void> {
  await api.sql.query('DELETE FROM identity_providers');
  ({ id } = await aServedProvider(owner, foreign, { allowCreation: true, ...changes }));
}

beforeEach(async () => {
  foreign.broken = false;
  await addProvider({ signOutAtProvider: true });
});

let subjects = 0;
async function signIn() {
  subjects += 1;
  const subject = `guest-${subjects}`;
  foreign.subject = subject;
  foreign.claims = { email: `${subject}@elsewhere.example`, email_verified: true };
  const browser = new TestBrowser(api);
  const begun = await browser.get(authorizeUrl(codeRequest(client)));
  const back = await foreign.visit(await chooseProvider(browser, begun, id));
  const answered = await browser.get(back);
  const tokens = await tokensOf(api, client, answered);
  return { browser, subject, tokens };
}

const wayBack = (url: URL, at = id): string =>
  `/login/idps/${at}/signed_out?state=${url.searchParams.get('state')}`;

describe('signing out at the provider as well', () => {
  it('follows a sign-out here, and leads to where that led, once', async () => {
    const { browser, subject, tokens } = await signIn();
    const url = onward(await signOut(browser, tokens));
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    expect(`${url.origin}${url.pathname}`).toBe(`${foreign.issuer}/session/end`);
    expect(url.searchParams.get('client_id')).toBe(foreign.clientId);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(
      `https://id.test/login/idps/${id}/signed_out`,
    );
    expect(decodeJwt(url.searchParams.get('id_token_hint') ?? '')).toMatchObject({
      iss: foreign.issuer,
      sub: subject,
    });
    // the provider knows all of it
    expect((await fetch(url)).status).toBe(200);
    const back = await browser.get(wayBack(url));
    expect(back.headers.location).toBe(`${POST_LOGOUT_URI}?state=of+the+application`);
    expect((await browser.get(wayBack(url))).headers.location).toBe('/logout');
  });

  it('follows the sign-out of whoever proved their address by a code first', async () => {
    foreign.subject = 'proven-guest';
    foreign.claims = { email: 'proven-guest@elsewhere.example', email_verified: false };
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client)));
    const back = await foreign.visit(await chooseProvider(browser, begun, id));
    const asked = await browser.get(back);
    const answered = await proveAddress(api, browser, asked);
    const tokens = await tokensOf(api, client, answered);
    const url = onward(await signOut(browser, tokens));
    expect(decodeJwt(url.searchParams.get('id_token_hint') ?? '')).toMatchObject({ sub: 'proven-guest' });
    expect((await fetch(url)).status).toBe(200);
  });

  it('comes back to nowhere else: not in another browser, from another provider, by a made-up state', async () => {
    const { browser, tokens } = await signIn();
    const url = onward(await signOut(browser, tokens));
    const stranger = await signIn();
    for (const [who, path] of [
      [stranger.browser, wayBack(url)],
      [new TestBrowser(api), wayBack(url)],
      [browser, wayBack(url, 'another')],
      [browser, `/login/idps/${id}/signed_out?state=made-up&post_logout_redirect_uri=https://evil.test`],
      [browser, `/login/idps/${id}/signed_out`],
    ] as const) {
      expect((await who.get(path)).headers.location).toBe('/logout');
    }
    // nobody was signed out by that: the page asks
    expect((await stranger.browser.get('/logout')).body).toContain('id="logout-confirm"');
    expect((await browser.get(wayBack(url))).headers.location).toContain(POST_LOGOUT_URI);
  });

  it('comes back in time', async () => {
    const { browser, tokens } = await signIn();
    const url = onward(await signOut(browser, tokens));
    await api.advance(901);
    expect((await browser.get(wayBack(url))).headers.location).toBe('/logout');
  });

  it('follows the page that asks, and leads to the one that says it is done', async () => {
    const { browser } = await signIn();
    const page = await browser.get('/logout');
    const url = onward(await browser.post('/logout', hiddenFields(page.body)));
    const back = await browser.get(wayBack(url));
    expect(back.headers.location).toBe('/logout');
    expect((await browser.get('/logout')).body).toContain('signed out');
  });

  describe('where a browser has several accounts', () => {
    const second = useForeignProvider();

    /** Two, by a provider each. */
    async function signInTwice() {
      const first = await signIn();
      const settings = { name: 'Second', allowCreation: true, signOutAtProvider: true };
      const { id: secondId } = await aServedProvider(owner, second, settings);
      second.subject = `${first.subject}-second`;
      second.claims = { email: `${second.subject}@elsewhere.example`, email_verified: true };
      const { browser } = first;
      const begun = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'login' })));
      const back = await second.visit(await chooseProvider(browser, begun, secondId));
      const answered = await browser.get(back);
      const tokens = await tokensOf(api, client, answered);
      return { browser, first, tokens };
    }

    it('goes to the provider of the last sign-in alone, and ends both here', async () => {
      const { browser, first, tokens } = await signInTwice();
      const page = await browser.get('/logout');
      const done = await browser.post('/logout', hiddenFields(page.body));
      const url = onward(done);
      expect(url.origin).toBe(new URL(second.issuer).origin);
      expect(decodeJwt(url.searchParams.get('id_token_hint') ?? '')).toMatchObject({ sub: second.subject });
      expect(done.body).not.toContain(foreign.issuer);
      for (const { access_token: token } of [first.tokens, tokens]) {
        expect((await userinfo(api, token)).statusCode).toBe(401);
      }
    });

    it('does not when one of them is taken off the list: the way back would lead nowhere', async () => {
      const { browser, first, tokens } = await signInTwice();
      const begun = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'select_account' })));
      const list = await browser.get(begun.headers.location ?? '');
      const [remove] = /<button[^>]*name="remove"[^>]*>/.exec(list.body) ?? [''];
      const account = /value="([^"]+)"/.exec(remove)?.[1] ?? '';
      const left = await browser.post('/login/accounts', { ...hiddenFields(list.body), remove: account });
      expect(left.body).not.toContain('id="go-on"');
      expect(left.headers.location ?? '').not.toContain('127.0.0.1');
      const statuses = await Promise.all(
        [first.tokens, tokens].map(
          async ({ access_token: token }) => (await userinfo(api, token)).statusCode,
        ),
      );
      expect(statuses.toSorted()).toEqual([200, 401]);
    });
  });

  it('passes a provider over that is switched off', async () => {
    const { browser, tokens } = await signIn();
    await owner.call('POST', `idps/${id}/_deactivate`);
    expect((await signOut(browser, tokens)).headers.location).toContain(POST_LOGOUT_URI);
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
  });

  it('is done where the provider is set up so, and keeps no ID token elsewhere', async () => {
    await addProvider({});
    const { browser, tokens } = await signIn();
    const kept = await api.sql.query('SELECT FROM provider_sessions WHERE id_token_sealed IS NOT NULL');
    expect(kept.rows).toEqual([]);
    expect((await signOut(browser, tokens)).headers.location).toContain(POST_LOGOUT_URI);
  });

  it('keeps the ID token sealed, and no longer than that', async () => {
    const { browser, subject, tokens } = await signIn();
    const read = async () =>
      (
        await api.sql.query<{ sealed: Buffer | null }>(
          'SELECT id_token_sealed AS sealed FROM provider_sessions WHERE subject = $1',
          [subject],
        )
      ).rows.map(({ sealed }) => sealed);
    const [sealed] = await read();
    expect(sealed?.includes('eyJ')).toBe(false);
    onward(await signOut(browser, tokens));
    expect(await read()).toEqual([null]);
  });

  it('is no field of a provider that has no such address', async () => {
    const refused = await owner.call('POST', 'idps', {
      kind: 'github',
      name: 'GitHub',
      clientId: 'c',
      clientSecret: 'secret-of-client',
      signOutAtProvider: true,
    });
    expect(refused.json()).toMatchObject({ message: 'signOutAtProvider is not a field of github' });
    expect((await owner.call('GET', `idps/${id}`)).json()).toMatchObject({
      idp: { signOutAtProvider: true },
    });
  });
});
