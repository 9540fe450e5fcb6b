import { inflateRawSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApplication, POST_LOGOUT_URI } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import {
  anIdentityProvider,
  chooseProvider,
  onward,
  signOut,
  usersBySubject,
} from '../../support/identity-providers.js';
import { proveAddress } from '../../support/prove-address.js';
import {
  FORMATS,
  newId,
  postedForm,
  requireSignatureOf,
  SamlProvider,
  type Said,
  type SaidLogout,
} from '../../support/saml-provider.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// Single Logout of SAML 2.0, as a service provider.

const { api, world } = useWorld({ RATE_LIMIT_FLOW: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

let foreign: SamlProvider;
let other: SamlProvider;
beforeAll(async () => {
  [foreign, other] = await Promise.all([SamlProvider.start(), SamlProvider.start('other')]);
});

let id: string;
async function addProvider(changes: object = {}): Promise<void> {
  await api.sql.query('DELETE FROM identity_providers');
  ({ id } = await anIdentityProvider(owner, {
    kind: 'saml',
    name: 'Elsewhere',
    metadata: foreign.metadataWithLogout(),
    allowCreation: true,
    trustEmail: true,
    signOutAtProvider: true,
    ...changes,
  }));
}
beforeEach(async () => {
  await addProvider();
});

const path = (): string => `/login/idps/${id}/single_logout`;
const here = (): string => `https://id.test${path()}`;

async function ownMetadata(): Promise<string> {
  return (await new TestBrowser(api).get(`/login/idps/${id}/metadata`)).body;
}

async function certificate(): Promise<string> {
  const base64 = /X509Certificate>([^<]*)</.exec(await ownMetadata())?.[1] ?? '';
  return `-----BEGIN CERTIFICATE-----\n${base64.trim()}\n-----END CERTIFICATE-----`;
}

let subjects = 0;
/** @param meanwhile before a code is typed, if one is asked for @param beforeAnswer once the provider was asked */
async function signIn(
  said: Partial<Said> = {},
  browser = new TestBrowser(api),
  meanwhile: () => Promise<void> = async () => undefined,
  beforeAnswer: () => Promise<void> = async () => undefined,
) {
  subjects += 1;
  const { subject = `guest-${subjects}` } = said;
  const begun = await browser.get(authorizeUrl(codeRequest(client)));
  await browser.get(begun.headers.location ?? '');
  const request = foreign.read(await chooseProvider(browser, begun, id));
  await beforeAnswer();
  const attributes = { mail: `${subject}@elsewhere.test` };
  const form = postedForm(foreign.answer(request, { attributes, ...said, subject }), request);
  const posted = await new TestBrowser(api).post(`/login/idps/${id}/callback`, form);
  const returned = await browser.get(posted.headers.location ?? '');
  // whom the provider does not vouch for proves the address first
  const asksCode = returned.headers.location?.startsWith('/register/verify') === true;
  if (asksCode) await meanwhile();
  const answered = asksCode ? await proveAddress(api, browser, returned) : returned;
  const problem = answered.statusCode === 302 ? redirected(answered).get('idp') : null;
  // where it is refused there is no code, and there are no tokens
  const code = redirected(answered).get('code') ?? '';
  const tokens = (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>();
  return { browser, subject, tokens, problem };
}

const lives = async ({ tokens }: { tokens: TokenAnswer }): Promise<boolean> =>
  (await userinfo(api, tokens.access_token)).statusCode === 200;

const saying = (subject: string, changes: Partial<SaidLogout> = {}): string =>
  foreign.logoutRequest({ subject, destination: here(), ...changes });

/** A provider sends a browser of whoever: it has no cookie of ours where the other site posts. */
const byQuery = async (query: string) => await new TestBrowser(api).get(`${path()}?${query}`);
const byForm = async (xml: string, relayState = '') =>
  await new TestBrowser(api).post(path(), {
    SAMLRequest: Buffer.from(xml).toString('base64'),
    ...(relayState !== '' && { RelayState: relayState }),
  });
const signed = (xml: string): string => foreign.sign(xml, 'LogoutRequest');

describe('metadata', () => {
  it('of ours has the single logout service by both bindings, and the key that signs for it', async () => {
    for (const signRequests of [true, false]) {
      await addProvider({ signRequests });
      const body = await ownMetadata();
      for (const binding of ['HTTP-Redirect', 'HTTP-POST']) {
        expect(body).toContain(
          `<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${here()}"/>`,
        );
      }
      expect(body).toContain('X509Certificate');
      expect(body).toContain(`AuthnRequestsSigned="${signRequests}"`);
    }
  });

  it('of the provider says where, unless it is typed, and need not', async () => {
    const idp = async () => (await owner.call('GET', `idps/${id}`)).json<{ idp: object }>().idp;
    expect(await idp()).toMatchObject({ sloUrl: foreign.sloUrl, signOutAtProvider: true });
    await addProvider({ sloUrl: 'https://idp.test/elsewhere' });
    expect(await idp()).toMatchObject({ sloUrl: 'https://idp.test/elsewhere' });
    await addProvider({ metadata: foreign.metadata() });
    expect(await idp()).not.toHaveProperty('sloUrl');
    const refused = await owner.call('POST', 'idps', {
      kind: 'saml',
      name: 'Elsewhere',
      metadata: foreign.metadata(),
      sloUrl: 'javascript:alert(1)',
    });
    expect(refused.statusCode).toBe(400);
  });
});

describe('signing out at a SAML provider as well', () => {
  it('follows a sign-out here by a signed request, and leads to where that led, once', async () => {
    const one = await signIn({
      sessionIndex: 'session & 7',
      qualifiers: `NameQualifier="${foreign.entityId}"`,
    });
    const url = onward(await signOut(one.browser, one.tokens));
    expect(await lives(one)).toBe(false);
    const there = new URL(foreign.sloUrl);
    expect([url.origin, url.pathname, url.searchParams.get('tenant')]).toEqual([
      there.origin,
      there.pathname,
      '1',
    ]);
    const { xml, relayState, issuer } = foreign.read(url.href, await certificate());
    expect(xml).toContain('<samlp:LogoutRequest');
    expect(xml).toContain(`Destination="${foreign.sloUrl}"`);
    expect(xml).toContain(
      `<saml:NameID Format="${FORMATS.persistent}" NameQualifier="${foreign.entityId}">${one.subject}</saml:NameID>`,
    );
    expect(xml).toMatch(/SessionIndex[^>]*>session &amp; 7</);
    expect(issuer).toBe(`https://id.test/login/idps/${id}/metadata`);
    expect(relayState).toMatch(/^[\w-]{43}$/);
    const back = async (browser: TestBrowser, more = '') => {
      const query = new URLSearchParams({ SAMLResponse: 'whatever it says', RelayState: relayState });
      const answered = await browser.get(`${path()}?${query.toString()}${more}`);
      expect(answered.headers.location).toMatch(new RegExp(`^/login/idps/${id}/signed_out\\?state=`));
      return (await browser.get(answered.headers.location ?? '')).headers.location;
    };
    // not in another browser, and to no address that somebody names
    expect(await back(new TestBrowser(api))).toBe('/logout');
    expect(await back(one.browser, '&target=https://evil.test')).toBe(
      `${POST_LOGOUT_URI}?state=of+the+application`,
    );
    expect(await back(one.browser)).toBe('/logout');
  });

  it('follows as well where the address was proven by a code first', async () => {
    await addProvider({ trustEmail: false });
    const one = await signIn({ sessionIndex: 'session 8' });
    const url = onward(await signOut(one.browser, one.tokens));
    const { xml } = foreign.read(url.href, await certificate());
    expect(xml).toContain(`>${one.subject}</saml:NameID>`);
    expect(xml).toMatch(/SessionIndex[^>]*>session 8</);
  });

  it('comes back by a form as well, and to nowhere by an address in its place (S345)', async () => {
    const one = await signIn();
    const { relayState } = foreign.read(onward(await signOut(one.browser, one.tokens)).href);
    const posted = async (RelayState: string) =>
      (await new TestBrowser(api).post(path(), { SAMLResponse: 'x', RelayState })).headers.location ?? '';
    const evil = await posted('https://evil.test');
    expect(evil).toBe(`/login/idps/${id}/signed_out?state=https%3A%2F%2Fevil.test`);
    expect((await one.browser.get(evil)).headers.location).toBe('/logout');
    const good = await posted(relayState);
    expect((await one.browser.get(good)).headers.location).toContain(POST_LOGOUT_URI);
  });

  it('is done where the provider is set up so, has such an address and is active', async () => {
    for (const changes of [{ signOutAtProvider: false }, { metadata: foreign.metadata() }]) {
      await addProvider(changes);
      const { browser, tokens } = await signIn();
      const kept = await api.sql.query('SELECT FROM provider_sessions WHERE id_token_sealed IS NOT NULL');
      expect(kept.rows).toEqual([]);
      expect((await signOut(browser, tokens)).headers.location).toContain(POST_LOGOUT_URI);
    }
    await addProvider();
    const { browser, tokens } = await signIn();
    await owner.call('POST', `idps/${id}/_deactivate`);
    expect((await signOut(browser, tokens)).headers.location).toContain(POST_LOGOUT_URI);
  });
});

describe('a provider that signs somebody out', () => {
  it('ends the session that it names and nothing else, by both bindings, and gets a signed answer', async () => {
    for (const send of ['query', 'form'] as const) {
      const subject = `both-${send}`;
      const first = await signIn({ subject, sessionIndex: 'one' });
      const second = await signIn({ subject, sessionIndex: 'two' });
      const stranger = await signIn({ sessionIndex: 'one' });
      const requestId = newId();
      const relayState = "of the (provider)! * it's ~ü&=";
      const xml = saying(subject, { sessions: ['one'], id: requestId });
      const answered =
        send === 'query'
          ? await byQuery(foreign.query(xml, { relayState }))
          : await byForm(signed(xml), relayState);
      expect(answered.statusCode, answered.body).toBe(303);
      expect(await Promise.all([first, second, stranger].map(lives))).toEqual([false, true, true]);
      const url = new URL(answered.headers.location ?? '');
      expect(`${url.origin}${url.pathname}?tenant=${url.searchParams.get('tenant')}`).toBe(foreign.sloUrl);
      requireSignatureOf(url.href, await certificate());
      expect(url.searchParams.get('RelayState')).toBe(relayState);
      const response = inflateRawSync(
        Buffer.from(url.searchParams.get('SAMLResponse') ?? '', 'base64'),
      ).toString();
      expect(response).toContain(`InResponseTo="${requestId}"`);
      expect(response).toContain('status:Success');
      // offline access stays, as by any other sign-out
      const again = await refreshTokens(api, client, first.tokens);
      expect(again.statusCode).toBe(200);
    }
  });

  it('ends all sessions of a name where it names none, and answers where there are none', async () => {
    const [first, second] = [
      await signIn({ subject: 'everywhere', sessionIndex: 'a' }),
      await signIn({ subject: 'everywhere', sessionIndex: 'b' }),
    ];
    expect((await byQuery(foreign.query(saying('everywhere', { sessions: [] })))).statusCode).toBe(303);
    expect(await Promise.all([first, second].map(lives))).toEqual([false, false]);
    expect((await byQuery(foreign.query(saying('nobody at all')))).statusCode).toBe(303);
  });

  it('goes by the NameID where people are known by an attribute', async () => {
    await addProvider({ subjectAttribute: 'oid', nameIdFormat: 'transient' });
    const said = { format: FORMATS.transient, attributes: { oid: 'number-1', mail: 'oid@elsewhere.test' } };
    const one = await signIn({ ...said, subject: 'of-this-session' });
    const by = (name: string) =>
      `<saml:NameID Format="${FORMATS.transient}" SPNameQualifier="https://id.test/login/idps/${id}/metadata">${name}</saml:NameID>`;
    await byQuery(foreign.query(saying('', { nameId: by('number-1') })));
    expect(await lives(one)).toBe(true);
    await byQuery(foreign.query(saying('', { nameId: by('of-this-session') })));
    expect(await lives(one)).toBe(false);
  });

  it('ends nothing that began after it, and is taken once, also by two replicas at once (S340)', async () => {
    const subject = 'once';
    const one = await signIn({ subject });
    const query = foreign.query(saying(subject));
    const both = await Promise.all([byQuery(query), byQuery(query)]);
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([303, 400]);
    expect(await lives(one)).toBe(false);
    const next = await signIn({ subject });
    for (const again of [byQuery(query), byForm(signed(saying(subject, { issuedAgo: 1000 })))]) {
      expect((await again).statusCode).toBe(400);
    }
    expect(await lives(next)).toBe(true);
    const late = await byQuery(foreign.query(saying(subject, { issuedAgo: 300 })));
    expect([late.statusCode, await lives(next)]).toEqual([303, true]);
  });

  it('is heard before the assertion of its session comes: that begins none (S357)', async () => {
    const subject = 'overtaken';
    const late = { subject, sessionIndex: 'overtaken', signedInAgo: 60 };
    const all = { subject: 'overtaken-all', signedInAgo: 60 };
    for (const [said, sessions] of [
      [late, ['overtaken']],
      [all, []],
    ] as const) {
      const { tokens, problem } = await signIn(said, undefined, undefined, async () => {
        expect((await byQuery(foreign.query(saying(said.subject, { sessions })))).statusCode).toBe(303);
      });
      expect([tokens.access_token, problem]).toEqual([undefined, 'idp-refused']);
      expect(await usersBySubject(api, said.subject)).toEqual([]);
    }
    // the session that was named is over, however late the provider is asked
    expect((await signIn(late)).problem).toBe('idp-refused');
    // another session of theirs, somebody else's of that name, and a new sign-in there
    for (const said of [
      { ...late, sessionIndex: 'another' },
      { ...late, subject: 'not-overtaken' },
      { ...late, signedInAgo: -1 },
    ]) {
      expect(await lives(await signIn(said))).toBe(true);
    }
    await api.sql.query(`UPDATE used_assertions SET expires_at = app_now()`);
    expect(await lives(await signIn(late))).toBe(true);
  });

  it('of all sessions leaves whom the provider vouches for anew, however long ago they signed in there (S357)', async () => {
    await addProvider({ trustEmail: false });
    const said = { subject: 'kept-instant', signedInAgo: 600, sessionIndex: 'kept' };
    const first = await signIn(said);
    expect((await byQuery(foreign.query(saying(said.subject, { sessions: [] })))).statusCode).toBe(303);
    expect(await lives(first)).toBe(false);
    expect(await lives(await signIn(said))).toBe(true);
    // whoever was asked about before is not, and neither is whoever still types a code then
    const unproven = { ...said, subject: 'kept-unproven' };
    const leave = async (): Promise<void> => {
      expect((await byQuery(foreign.query(saying(unproven.subject, { sessions: [] })))).statusCode).toBe(303);
    };
    expect((await signIn(unproven, undefined, leave)).tokens.access_token).toBeUndefined();
    expect(await lives(await signIn(unproven))).toBe(true);
    // a provider's clock that is behind gives an earlier assertion no way in
    const slow = { ...said, subject: 'kept-slow' };
    const { tokens } = await signIn(slow, undefined, undefined, async () => {
      const request = saying(slow.subject, { sessions: [], issuedAgo: 300 });
      expect((await byQuery(foreign.query(request))).statusCode).toBe(303);
    });
    expect(tokens.access_token).toBeUndefined();
    expect(await lives(await signIn(slow))).toBe(true);
  });

  it('is heard while the address of its session is proven: the code begins none (S357)', async () => {
    await addProvider({ trustEmail: false });
    const subject = 'proving';
    const one = signIn({ subject, sessionIndex: 'proving', signedInAgo: 60 }, undefined, async () => {
      expect((await byQuery(foreign.query(saying(subject, { sessions: ['proving'] })))).statusCode).toBe(303);
    });
    expect((await one).tokens.access_token).toBeUndefined();
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it('and a sign-in at the same moment leave no session, whichever is first (S357)', async () => {
    for (let round = 0; round < 6; round += 1) {
      const subject = `at-once-${round}`;
      const said = { subject, sessionIndex: subject, signedInAgo: 60 };
      // an account that there is: both take the same locks then
      await signIn({ ...said, sessionIndex: 'before', signedInAgo: 0 });
      const query = foreign.query(saying(subject, { sessions: [subject] }));
      const [one] = await Promise.all([signIn(said), byQuery(query)]);
      expect(one.tokens.access_token === undefined || !(await lives(one))).toBe(true);
    }
  });

  it('that has no sloUrl, or is switched off, signs nobody out', async () => {
    const subject = 'without-address';
    await addProvider({ metadata: foreign.metadata() });
    const one = await signIn({ subject });
    expect((await byQuery(foreign.query(saying(subject)))).statusCode).toBe(400);
    expect(await lives(one)).toBe(true);
    await addProvider();
    const two = await signIn({ subject: 'switched-off' });
    await owner.call('POST', `idps/${id}/_deactivate`);
    expect((await byQuery(foreign.query(saying('switched-off')))).statusCode).toBe(400);
    expect(await lives(two)).toBe(true);
    expect((await new TestBrowser(api).get('/login/idps/nobody/single_logout')).statusCode).toBe(400);
  });
});

describe('a request to sign out that is not good', () => {
  let victim: Awaited<ReturnType<typeof signIn>>;
  beforeEach(async () => {
    victim = await signIn();
  });

  async function refused(answered: Promise<LightMyRequestResponse>): Promise<void> {
    const { statusCode, headers, body } = await answered;
    expect([statusCode, headers.location]).toEqual([400, undefined]);
    expect(body).not.toContain(victim.subject);
    expect(await lives(victim)).toBe(true);
  }

  it('is unsigned, or signed by somebody else or by SHA-1 (S341)', async () => {
    const xml = saying(victim.subject);
    const query = foreign.query(xml);
    await refused(byForm(xml));
    await refused(byQuery(query.replace(/&SigAlg=.*$/, '')));
    await refused(byQuery(query.replace(/&Signature=.*$/, '')));
    await refused(byQuery(query.replace(/&Signature=.*$/, '&Signature=')));
    await refused(byQuery(foreign.query(xml, { key: other.key })));
    await refused(byForm(other.sign(xml, 'LogoutRequest')));
    await refused(byQuery(foreign.query(xml, { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' })));
    await refused(byForm(foreign.sign(xml, 'LogoutRequest', { hash: 'sha1' })));
    await refused(
      byForm(
        foreign.sign(xml, 'LogoutRequest', {
          canonicalization: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
        }),
      ),
    );
    expect(await lives(victim)).toBe(true);
  });

  it('is for another address, of another issuer, too old, to come, or over (S342)', async () => {
    for (const changes of [
      { destination: 'https://other-service.test/slo' },
      { destination: `https://id.test/login/idps/another/single_logout` },
      { issuer: other.entityId },
      { issuedAgo: 700 },
      { issuedAgo: -120 },
      { expiresIn: -90 },
      { id: '' },
    ]) {
      const xml = saying(victim.subject, changes);
      await refused(byQuery(foreign.query(xml)));
      if (changes.id === undefined) await refused(byForm(signed(xml)));
    }
    const without = saying(victim.subject).replace(/ Destination="[^"]*"/, '');
    await refused(byQuery(foreign.query(without)));
    const encrypted = saying('', { nameId: '<saml:EncryptedID/>' });
    await refused(byQuery(foreign.query(encrypted)));
    expect(await lives(victim)).toBe(true);
  });

  it('has another request beside the one that was signed (S343)', async () => {
    const good = foreign.query(saying('somebody else'));
    const evil = foreign.query(saying(victim.subject), { key: other.key });
    const message = /SAMLRequest=([^&]*)/.exec(evil)?.[1] ?? '';
    for (const query of [
      `SAMLRequest=${message}&${good}`,
      `${good}&SAMLRequest=${message}`,
      // a library looks for parts of names, or reads what is written otherwise
      good.replace('SAMLRequest=', 'xSAMLRequest=').concat(`&SAMLRequest=${message}`),
      good.replace('SAMLRequest=', '%53AMLRequest=').concat(`&SAMLRequest=${message}`),
      good.replace(/SAMLRequest=[^&]*/, `SAMLRequest=${message}`),
      good.replace('&SigAlg', '&RelayState=added&SigAlg'),
    ]) {
      await refused(byQuery(query));
    }
    const own = signed(saying('somebody else'));
    const inner = own.replace(/^<\?xml[^>]*>/, '');
    const signature = /<Signature[\s\S]*<\/Signature>/.exec(own)?.[0] ?? '';
    expect(signature).not.toBe('');
    const bare = saying(victim.subject, { id: '_evil' });
    for (const wrapped of [
      // the signed one inside of another, its signature moved out, both with one id, and a name that was put in
      bare.replace(
        '</samlp:LogoutRequest>',
        `<samlp:Extensions>${inner}</samlp:Extensions></samlp:LogoutRequest>`,
      ),
      bare
        .replace('</saml:Issuer>', `</saml:Issuer>${signature}`)
        .replace('</samlp:LogoutRequest>', `${inner}</samlp:LogoutRequest>`),
      bare.replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
      bare
        .replace('_evil', / ID="([^"]*)"/.exec(own)?.[1] ?? '')
        .replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
      own.replace('somebody else', victim.subject),
    ]) {
      await refused(byForm(wrapped));
    }
  });

  it('is made to cost something, or no request at all (S344)', async () => {
    const bomb = `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${' '.repeat(5_000_000)}</samlp:LogoutRequest>`;
    await refused(byQuery(foreign.query(bomb)));
    const doctype = `<!DOCTYPE a [<!ENTITY b "c">]>${saying(victim.subject)}`;
    await refused(byQuery(foreign.query(doctype)));
    await refused(byForm(doctype));
    const deep = saying(victim.subject, { more: '<a>'.repeat(100) + '</a>'.repeat(100) });
    await refused(byQuery(foreign.query(deep)));
    await refused(byForm(deep));
    const many = saying(victim.subject, { sessions: Array.from({ length: 101 }, (_, index) => `s${index}`) });
    await refused(byQuery(foreign.query(many)));
    for (const query of ['', 'SAMLRequest=', 'SAMLRequest=%', 'SAMLRequest=AAAA&SigAlg=x&Signature=y']) {
      await refused(byQuery(query));
    }
    await refused(byQuery(foreign.query('<a/>')));
    await refused(byQuery(foreign.query(saying(victim.subject), { relayState: 'x'.repeat(1025) })));
    await refused(byForm(signed(saying(victim.subject)), 'x'.repeat(1025)));
    await refused(byForm('<a/>'));
    const large = await new TestBrowser(api).post(path(), { SAMLRequest: 'A'.repeat(70_000) });
    expect(large.statusCode).toBe(400);
    expect(large.body).toContain('the body is too large');
    expect(await lives(victim)).toBe(true);
  });
});
