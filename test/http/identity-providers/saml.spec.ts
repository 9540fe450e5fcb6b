import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  whoIs,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { chooseProvider, usersBySubject } from '../../support/identity-providers.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import {
  FORMATS,
  newId,
  postedForm,
  SamlProvider,
  type ReadRequest,
  type Said,
} from '../../support/saml-provider.js';
import { samlify } from '../../support/samlify.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld({ RATE_LIMIT_MAIL: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

let foreign: SamlProvider;
let other: SamlProvider;
beforeAll(async () => {
  [foreign, other] = await Promise.all([SamlProvider.start(), SamlProvider.start('other')]);
});

interface Added {
  readonly id: string;
  readonly callbackUrl: string;
  readonly serviceProviderMetadataUrl: string;
}

async function addProvider(at: SamlProvider, settings: object = {}, by = owner): Promise<Added> {
  const body = {
    kind: 'saml',
    name: 'Elsewhere',
    metadata: at.metadata(),
    allowCreation: true,
    trustEmail: true,
  };
  const added = await by.call('POST', 'idps', { ...body, ...settings });
  expect(added.statusCode, added.body).toBe(200);
  const { id } = added.json<Added>();
  expect((await by.call('POST', `idps/${id}/_activate`)).statusCode).toBe(200);
  return added.json<Added>();
}

async function certificateOf({ id }: Added): Promise<string> {
  const { body } = await new TestBrowser(api).get(`/login/idps/${id}/metadata`);
  const base64 = /X509Certificate>([^<]*)</.exec(body)?.[1] ?? '';
  return `-----BEGIN CERTIFICATE-----\n${base64.trim()}\n-----END CERTIFICATE-----`;
}

let idp: Added;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  idp = await addProvider(foreign);
});

let subjects = 0;
function newSubject(): string {
  subjects += 1;
  return `subject-${subjects}`;
}

function addressOf(subject: string): Record<string, string> {
  return { mail: `${subject}@elsewhere.test` };
}

/** From the application to the provider, and what it is asked there. */
async function toProvider(
  browser: TestBrowser,
  {
    at = foreign,
    id = idp.id,
    changes = {},
  }: { at?: SamlProvider; id?: string; changes?: Record<string, string> } = {},
): Promise<ReadRequest> {
  const begun = await browser.get(authorizeUrl(codeRequest(client, changes)));
  await browser.get(begun.headers.location ?? '');
  return at.read(await chooseProvider(browser, begun, id));
}

/** What a browser does with a form of another site: it brings no cookie, and then follows with it. */
async function post(
  browser: TestBrowser,
  form: Record<string, string>,
  id = idp.id,
): Promise<LightMyRequestResponse> {
  const posted = await new TestBrowser(api).post(`/login/idps/${id}/callback`, form);
  expect(posted.headers['set-cookie']).toBeUndefined();
  if (posted.statusCode !== 303) return posted;
  expect(posted.headers.location).toMatch(
    new RegExp(`^/login/idps/${id}/callback\\?state=[\\w-]+&answer=[\\w-]*$`),
  );
  return await browser.get(posted.headers.location ?? '');
}

async function signIn(said: Said, browser = new TestBrowser(api)): Promise<LightMyRequestResponse> {
  const request = await toProvider(browser);
  const attributes = said.attributes ?? addressOf(said.subject);
  return await post(browser, postedForm(foreign.answer(request, { ...said, attributes }), request));
}

function problemOf(answered: LightMyRequestResponse): string | null {
  expect(answered.statusCode).toBe(302);
  return redirected(answered).get('idp');
}

describe('signing in with a provider that speaks SAML', () => {
  it('makes an account at the first sign-in, and finds it at the second', async () => {
    const subject = newSubject();
    const attributes = {
      'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress': `${subject}@elsewhere.test`,
      'urn:oid:2.5.4.42': 'Grace',
      sn: 'Hopper',
    };
    const first = await whoIs(api, client, await signIn({ subject, attributes }));
    expect(first).toMatchObject({
      email: `${subject}@elsewhere.test`,
      email_verified: true,
      given_name: 'Grace',
      family_name: 'Hopper',
    });
    expect((await whoIs(api, client, await signIn({ subject })))['sub']).toBe(first['sub']);
  });

  it('asks by a signed request, and says who we are in metadata', async () => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser, { changes: { prompt: 'login' } });
    expect(request).toMatchObject({ callbackUrl: idp.callbackUrl, issuer: idp.serviceProviderMetadataUrl });
    expect(request.xml).toContain('ForceAuthn="true"');
    expect(request.xml).toContain(`Destination="${foreign.ssoUrl.replace('&', '&amp;')}"`);
    expect(request.parameters.get('tenant')).toBe('1');
    // throws if it were not
    const url = new URL(foreign.ssoUrl);
    url.search = request.parameters.toString();
    foreign.read(url.toString(), await certificateOf(idp));
    const metadata = await new TestBrowser(api).get(new URL(idp.serviceProviderMetadataUrl).pathname);
    expect(metadata.headers['content-type']).toContain('application/samlmetadata+xml');
    expect(metadata.body).toContain(`entityID="${idp.serviceProviderMetadataUrl}"`);
    expect(metadata.body).toContain(`Location="${idp.callbackUrl}"`);
    expect(metadata.body).toContain('AuthnRequestsSigned="true"');
    expect((await new TestBrowser(api).get('/login/idps/nobody/metadata')).statusCode).toBe(404);
  });

  it('proves an address by a code where nobody vouches for it', async () => {
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, {
      trustEmail: false,
      mapping: { fields: { emailVerified: 'verified' } },
    });
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const attributes = { ...addressOf(subject), verified: 'true', email_verified: 'true' };
    const answered = await signIn({ subject, attributes }, browser);
    expect(answered.headers.location).toContain('/register/verify?id=');
    const page = await browser.get(answered.headers.location ?? '');
    const { code } = linkIn((await collectMails(api)).at(-1), '/register/verify');
    const done = await browser.post('/register/verify', { ...hiddenFields(page.body), code });
    expect((await whoIs(api, client, done))['email_verified']).toBe(true);
    // a boolean is one, as a claim is
    const more =
      '<saml:Attribute Name="verified"><saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:boolean">true</saml:AttributeValue></saml:Attribute>';
    const another = newSubject();
    expect((await whoIs(api, client, await signIn({ subject: another, more })))['email']).toBe(
      `${another}@elsewhere.test`,
    );
  });

  it('takes an encrypted assertion, and no other where it must be', async () => {
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, { wantAssertionsEncrypted: true });
    const certificate = await certificateOf(idp);
    const subject = newSubject();
    const come = async (
      changes: Parameters<SamlProvider['encrypt']>[2],
      signing: Parameters<SamlProvider['sign']>[2] = {},
    ) => {
      const browser = new TestBrowser(api);
      const request = await toProvider(browser);
      const said = { subject, attributes: addressOf(subject) };
      const signed = foreign.sign(foreign.assertion(request, said), 'Assertion', signing);
      const inner = await foreign.encrypt(signed, certificate, changes);
      return await post(browser, postedForm(foreign.response(request, inner), request));
    };
    expect((await whoIs(api, client, await come({})))['email']).toBe(`${subject}@elsewhere.test`);
    const cbc = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc';
    expect((await whoIs(api, client, await come({ content: cbc })))['email']).toBe(
      `${subject}@elsewhere.test`,
    );
    const pkcs1 = 'http://www.w3.org/2001/04/xmlenc#rsa-1_5';
    expect(problemOf(await come({ keys: pkcs1 }))).toBe('idp-refused');
    const des = 'http://www.w3.org/2001/04/xmlenc#tripledes-cbc';
    expect(problemOf(await come({ content: des }))).toBe('idp-refused');
    // what is inside is held to the same rules
    expect(problemOf(await come({}, { hash: 'sha1' }))).toBe('idp-refused');
    expect(problemOf(await come({}, { key: other.key }))).toBe('idp-refused');
    expect(problemOf(await signIn({ subject }))).toBe('idp-refused');
  });

  it('lets nobody in who lacks an attribute that is required, among several values', async () => {
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, { requiredClaims: { groups: 'staff' } });
    const subject = newSubject();
    const attributes = addressOf(subject);
    expect(problemOf(await signIn({ subject, attributes: { ...attributes, groups: ['guests'] } }))).toBe(
      'idp-refused',
    );
    const staff = await signIn({ subject, attributes: { ...attributes, groups: ['guests', 'staff'] } });
    expect((await whoIs(api, client, staff))['email']).toBe(`${subject}@elsewhere.test`);
  });

  it('knows people by an attribute where it is told to, and by no name of a moment', async () => {
    expect(problemOf(await signIn({ subject: newSubject(), format: FORMATS.transient }))).toBe('idp-refused');
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, { nameIdFormat: 'transient', subjectAttribute: 'oid' });
    const subject = newSubject();
    const attributes = { ...addressOf(subject), oid: subject };
    const come = async () =>
      await whoIs(
        api,
        client,
        await signIn({ subject: newSubject(), format: FORMATS.transient, attributes }),
      );
    expect((await come())['sub']).toBe((await come())['sub']);
    expect(await usersBySubject(api, subject)).toHaveLength(1);
  });

  it('holds the name space of a NameID to be part of it', async () => {
    const subject = newSubject();
    const own = await whoIs(api, client, await signIn({ subject }));
    const named = `NameQualifier="${foreign.entityId}" SPNameQualifier="${idp.serviceProviderMetadataUrl}"`;
    expect((await whoIs(api, client, await signIn({ subject, qualifiers: named })))['sub']).toBe(own['sub']);
    const elsewhere = await signIn({
      subject,
      qualifiers: 'NameQualifier="https://third.test"',
      attributes: addressOf(newSubject()),
    });
    expect((await whoIs(api, client, elsewhere))['sub']).not.toBe(own['sub']);
    expect(problemOf(await signIn({ subject, format: FORMATS.emailAddress }))).toBe('idp-refused');
  });

  it('asks for a new sign-in where the application says how old one may be', async () => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser, { changes: { max_age: '300' } });
    expect(request.xml).toContain('ForceAuthn="true"');
    const subject = newSubject();
    const answer = foreign.answer(request, { subject, attributes: addressOf(subject), signedInAgo: 600 });
    expect(problemOf(await post(browser, postedForm(answer, request)))).toBe('idp-refused');
  });

  it('is of use to several organizations where it is of the instance', async () => {
    const root = await aServiceUser(world, 'IAM_OWNER');
    const shared = await addProvider(
      other,
      { name: 'Of all' },
      {
        ...root,
        call: async (method, path, ...rest) => await root.call(method, `/admin/v1/${path}`, ...rest),
      },
    );
    await owner.call('PUT', 'policies/login', { instanceIdps: [shared.id] });
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const request = await toProvider(browser, { at: other, id: shared.id });
    const answer = other.answer(request, { subject, attributes: addressOf(subject) });
    expect(
      (await whoIs(api, client, await post(browser, postedForm(answer, request), shared.id)))['email'],
    ).toBe(`${subject}@elsewhere.test`);
    await owner.call('DELETE', 'policies/login');
  });

  it('goes with an implementation that knows nothing of this one (samlify), by our metadata and its own', async () => {
    const { IdentityProvider, ServiceProvider, SamlLib, setSchemaValidator } = await samlify();
    setSchemaValidator({ validate: async () => 'not looked at' });
    const own = await new TestBrowser(api).get(new URL(idp.serviceProviderMetadataUrl).pathname);
    const service = ServiceProvider({ metadata: own.body });
    const { context } = SamlLib.defaultLoginResponseTemplate;
    const statement =
      '<saml:AuthnStatement AuthnInstant="{IssueInstant}" SessionIndex="{AssertionID}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>';
    const theirs = IdentityProvider({
      metadata: foreign.metadata(),
      privateKey: foreign.key.privateKey,
      loginResponseTemplate: {
        context: context.replace('{AuthnStatement}', statement),
        attributes: [
          {
            name: 'mail',
            nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
            valueTag: 'mail',
            valueXsiType: 'xs:string',
          },
        ],
      },
    });
    const browser = new TestBrowser(api);
    const { parameters, relayState } = await toProvider(browser);
    const octetString = ['SAMLRequest', 'RelayState', 'SigAlg']
      .map((name) => `${name}=${encodeURIComponent(parameters.get(name) ?? '')}`)
      .join('&');
    const query = Object.fromEntries(parameters);
    const asked = await theirs.parseLoginRequest(service, 'redirect', { query, octetString });
    const request = asked.extract.request;
    const subject = newSubject();
    const later = new Date(Date.now() + 300_000).toISOString();
    const answer = await theirs.createLoginResponse(service, asked, 'post', {}, (template) => ({
      id: newId(),
      context: SamlLib.replaceTagsByValue(template, {
        ID: newId(),
        AssertionID: newId(),
        Destination: request['assertionConsumerServiceUrl'],
        Audience: service.entityMeta.getEntityID(),
        SubjectRecipient: request['assertionConsumerServiceUrl'],
        Issuer: theirs.entityMeta.getEntityID(),
        IssueInstant: new Date().toISOString(),
        StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
        ConditionsNotBefore: new Date().toISOString(),
        ConditionsNotOnOrAfter: later,
        SubjectConfirmationDataNotOnOrAfter: later,
        NameIDFormat: FORMATS.persistent,
        NameID: subject,
        InResponseTo: request['id'],
        attrMail: `${subject}@elsewhere.test`,
      }),
    }));
    const form = { SAMLResponse: answer.context, RelayState: relayState };
    expect((await whoIs(api, client, await post(browser, form)))['email']).toBe(`${subject}@elsewhere.test`);
  });

  it('takes a response that is signed as a whole only where it is told to', async () => {
    const subject = newSubject();
    const come = async () => {
      const browser = new TestBrowser(api);
      const request = await toProvider(browser);
      const said = { subject, attributes: addressOf(subject) };
      const whole = foreign.sign(foreign.response(request, foreign.assertion(request, said)), 'Response');
      return await post(browser, postedForm(whole, request));
    };
    expect(problemOf(await come())).toBe('idp-refused');
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, { wantAssertionsSigned: false });
    expect((await whoIs(api, client, await come()))['email']).toBe(`${subject}@elsewhere.test`);
  });

  it('takes what is larger than other forms, and nothing without end', async () => {
    const subject = newSubject();
    const groups = Array.from({ length: 400 }, (_, index) => `${index}-${'g'.repeat(100)}`);
    const answered = await signIn({ subject, attributes: { ...addressOf(subject), groups } });
    expect((await whoIs(api, client, answered))['email']).toBe(`${subject}@elsewhere.test`);
    const { relayState } = await toProvider(new TestBrowser(api));
    const huge = { SAMLResponse: 'A'.repeat(500_000), RelayState: relayState };
    expect((await new TestBrowser(api).post(`/login/idps/${idp.id}/callback`, huge)).statusCode).toBe(400);
  });
});

/** What somebody at the provider, who may sign in as themselves, makes of it to be somebody else. */
describe('signature wrapping', () => {
  const [ATTACKER, VICTIM] = ['attacker', 'victim'];

  function withoutSignature(xml: string): string {
    return xml.replace(/<(ds:)?Signature [\s\S]*?<\/(ds:)?Signature>/, '');
  }
  function signatureIn(xml: string): string {
    return /<(ds:)?Signature [\s\S]*?<\/(ds:)?Signature>/.exec(xml)?.[0] ?? '';
  }
  function within(signature: string, inner: string): string {
    return signature.replace(/<\/((ds:)?Signature)>$/, (_, name: string) => `${inner}</${name}>`);
  }
  function evil(xml: string): string {
    return withoutSignature(xml)
      .replaceAll(ATTACKER, VICTIM)
      .replace(/ ID="[^"]*"/, ` ID="${newId()}"`);
  }
  function after(xml: string, element: string, inner: string): string {
    return xml.replace(new RegExp(`(</saml:${element}>)`), `$1${inner}`);
  }

  type Form = (parts: {
    readonly assertion: string;
    readonly signed: string;
    readonly whole: string;
    readonly wrap: (inner: string) => string;
  }) => string;
  const FORMS: readonly (readonly [string, Form])[] = [
    [
      'XSW1: a signed response within the signature of another',
      ({ whole }) => after(evil(whole), 'Issuer', within(signatureIn(whole), withoutSignature(whole))),
    ],
    [
      'XSW2: a signed response before its signature',
      ({ whole }) => after(evil(whole), 'Issuer', withoutSignature(whole) + signatureIn(whole)),
    ],
    ['XSW3: another assertion before the signed one', ({ signed, wrap }) => wrap(evil(signed) + signed)],
    ['XSW3 the other way round', ({ signed, wrap }) => wrap(signed + evil(signed))],
    [
      'XSW4: the signed assertion within another one',
      ({ signed, wrap }) => wrap(evil(signed).replace(/<\/saml:Assertion>$/, `${signed}</saml:Assertion>`)),
    ],
    [
      'XSW5: the signature moves to another assertion, the signed one follows',
      ({ signed, wrap }) =>
        wrap(after(evil(signed), 'Issuer', signatureIn(signed)) + withoutSignature(signed)),
    ],
    [
      'XSW6: the signed assertion within its signature, in another assertion',
      ({ signed, wrap }) =>
        wrap(after(evil(signed), 'Issuer', within(signatureIn(signed), withoutSignature(signed)))),
    ],
    [
      'XSW7: another assertion within extensions',
      ({ signed, wrap }) => wrap(`<samlp:Extensions>${evil(signed)}</samlp:Extensions>${signed}`),
    ],
    [
      'XSW8: the signed assertion within an object of its signature',
      ({ signed, wrap }) =>
        wrap(
          after(
            evil(signed),
            'Issuer',
            within(
              signatureIn(signed),
              `<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${withoutSignature(signed)}</ds:Object>`,
            ),
          ),
        ),
    ],
    [
      'the same ID twice',
      ({ signed, wrap }) => wrap(withoutSignature(signed).replaceAll(ATTACKER, VICTIM) + signed),
    ],
  ];

  it.each(FORMS)('%s', async (_name, form) => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const said = { subject: ATTACKER, attributes: addressOf(ATTACKER) };
    const assertion = foreign.assertion(request, said);
    const wrap = (inner: string) => foreign.response(request, inner);
    const signed = foreign.sign(assertion, 'Assertion');
    const whole = foreign.sign(wrap(signed), 'Response');
    const forged = form({ assertion, signed, whole, wrap });
    expect(forged).toContain(VICTIM);
    expect(forged).toContain('SignatureValue');
    const answered = await post(browser, postedForm(forged, request));
    expect(await usersBySubject(api, VICTIM)).toEqual([]);
    // whoever is let in at all is who was signed
    const code = redirected(answered).get('code');
    if (code === null) expect(problemOf(answered)).toBe('idp-refused');
    else expect((await whoIs(api, client, answered))['email']).toBe(`${ATTACKER}@elsewhere.test`);
  });

  it.each(FORMS)('of a response that is signed as a whole: %s', async (_name, form) => {
    await api.sql.query('DELETE FROM identity_providers');
    idp = await addProvider(foreign, { wantAssertionsSigned: false });
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const assertion = foreign.assertion(request, { subject: ATTACKER, attributes: addressOf(ATTACKER) });
    const wrap = (inner: string) => foreign.response(request, inner);
    const signed = foreign.sign(assertion, 'Assertion');
    const whole = foreign.sign(wrap(assertion), 'Response');
    await post(browser, postedForm(form({ assertion, signed, whole, wrap }), request));
    expect(await usersBySubject(api, VICTIM)).toEqual([]);
  });

  it('an unsigned assertion in place of the one in a signed response, and beside it', async () => {
    for (const wantAssertionsSigned of [true, false]) {
      await api.sql.query('DELETE FROM identity_providers');
      idp = await addProvider(foreign, { wantAssertionsSigned });
      const browser = new TestBrowser(api);
      const request = await toProvider(browser);
      const assertion = foreign.assertion(request, { subject: ATTACKER, attributes: addressOf(ATTACKER) });
      const whole = foreign.sign(foreign.response(request, assertion), 'Response');
      const forged = foreign.assertion(request, { subject: VICTIM, attributes: addressOf(VICTIM) });
      const swapped = whole.replace(/<saml:Assertion [\s\S]*<\/saml:Assertion>/, forged);
      expect(swapped).toContain(VICTIM);
      expect(problemOf(await post(browser, postedForm(swapped, request)))).toBe('idp-refused');
    }
  });

  it('of a signed assertion, what stands beside it is not believed', async () => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const subject = newSubject();
    const bare = foreign.assertion(request, { subject, attributes: addressOf(subject) });
    expect(problemOf(await post(browser, postedForm(foreign.response(request, bare), request)))).toBe(
      'idp-refused',
    );
    const again = new TestBrowser(api);
    const asked = await toProvider(again);
    // made for another request, in a response that says that it is for this one
    const stale = foreign.answer(asked, {
      subject,
      attributes: addressOf(subject),
      inResponseTo: request.id,
    });
    expect(problemOf(await post(again, postedForm(stale, asked)))).toBe('idp-refused');
  });
});

describe('a response that is refused', () => {
  const REFUSED: readonly (readonly [string, Partial<Said>])[] = [
    ['for another audience', { audience: 'https://another.test' }],
    ['for another address', { recipient: 'https://another.test/acs' }],
    ['for another request', { inResponseTo: '_another' }],
    ['of another issuer', { issuer: 'https://another.test' }],
    ['too old', { expiresIn: -120 }],
    ['made long ago', { issuedAgo: 1200, expiresIn: 7200 }],
    ['confirmed by a key', { method: 'holder-of-key' }],
    ['without a subject', { nameId: '<saml:NameID/>' }],
  ];
  it.each(REFUSED)('%s', async (_name, changes) => {
    const subject = newSubject();
    expect(problemOf(await signIn({ subject, ...changes }))).toBe('idp-refused');
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it('without a destination, where it is signed as a whole', async () => {
    for (const isWhole of [true, false]) {
      const browser = new TestBrowser(api);
      const request = await toProvider(browser);
      const subject = newSubject();
      const said = { subject, attributes: addressOf(subject) };
      const signed = foreign.sign(foreign.assertion(request, said), 'Assertion');
      const response = foreign.response(request, signed, { destination: '' });
      const sent = isWhole ? foreign.sign(response, 'Response') : response;
      const answered = await post(browser, postedForm(sent, request));
      expect(problemOf(answered)).toBe(isWhole ? 'idp-refused' : null);
    }
  });

  it('for another destination, without InResponseTo, or of a failure', async () => {
    const changes = [
      { destination: 'https://another.test/acs' },
      { inResponseTo: '' },
      { inResponseTo: '_x' },
      { status: 'Responder' },
    ];
    for (const change of changes) {
      const browser = new TestBrowser(api);
      const request = await toProvider(browser);
      const subject = newSubject();
      const signed = foreign.sign(
        foreign.assertion(request, { subject, attributes: addressOf(subject) }),
        'Assertion',
      );
      expect(
        problemOf(await post(browser, postedForm(foreign.response(request, signed, change), request))),
      ).toBe('idp-refused');
    }
  });

  it.each([
    ['SHA-1', { hash: 'sha1' as const }],
    ['comments that count', { canonicalization: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments' }],
  ])('signed by %s', async (_name, signing) => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const subject = newSubject();
    const assertion = foreign.assertion(request, { subject, attributes: addressOf(subject) });
    const forged = foreign.response(request, foreign.sign(assertion, 'Assertion', signing));
    expect(problemOf(await post(browser, postedForm(forged, request)))).toBe('idp-refused');
  });

  it('signed by the key that it brings along', async () => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const subject = newSubject();
    const assertion = foreign.assertion(request, { subject, attributes: addressOf(subject) });
    const forged = foreign.response(request, foreign.sign(assertion, 'Assertion', { key: other.key }));
    expect(forged).toContain('X509Certificate');
    expect(problemOf(await post(browser, postedForm(forged, request)))).toBe('idp-refused');
  });

  it.each([
    ['an entity of a file', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'],
    ['an entity of a server', '<!DOCTYPE r [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>'],
    [
      'entities without end',
      '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY x "&b;&b;&b;">]>',
    ],
    ['parameter entities', '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/d"> %p;]>'],
    ['a stylesheet', '<?xml-stylesheet href="http://127.0.0.1:9/x"?>'],
  ])('with %s', async (_name, before) => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const subject = newSubject();
    const answer = foreign.answer(request, { subject, attributes: addressOf(subject) });
    expect(problemOf(await post(browser, postedForm(before + answer, request)))).toBe('idp-refused');
  });

  it('that is no XML, no base64, or deeper than anything', async () => {
    const deep = `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`;
    for (const xml of ['', 'nothing', '<samlp:Response', '<a/>', deep]) {
      const browser = new TestBrowser(api);
      const request = await toProvider(browser);
      expect(problemOf(await post(browser, postedForm(xml, request)))).toBe('idp-refused');
    }
    const browser = new TestBrowser(api);
    const { relayState } = await toProvider(browser);
    const answered = await post(browser, { SAMLResponse: '%%%', RelayState: relayState });
    expect(problemOf(answered)).toBe('idp-refused');
  });

  it.each<[string, (answer: string) => string]>([
    [
      'that has the library look for a key by words of the sender',
      (answer) => {
        const words = `#' or //*[//*[//*[//*[//*]]]] or @Id='`;
        const encrypted = `<saml:EncryptedAssertion xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
          <xenc:EncryptedData><ds:KeyInfo><ds:RetrievalMethod URI="${words}"/></ds:KeyInfo></xenc:EncryptedData>${'<a/>'.repeat(200)}</saml:EncryptedAssertion>`;
        return answer.replace(/<saml:Assertion[\s\S]*<\/saml:Assertion>/, encrypted);
      },
    ],
    [
      'with thousands of siblings',
      (answer) => answer.replace('</samlp:Response>', `${'<a/>'.repeat(3_000)}</samlp:Response>`),
    ],
    [
      'with thousands of attributes',
      (answer) =>
        answer.replace(
          '<samlp:Response',
          `<samlp:Response ${Array.from({ length: 20_000 }, (_, n) => `a${n}=""`).join(' ')}`,
        ),
    ],
    [
      'with many assertions to decrypt',
      (answer) =>
        answer.replace('</samlp:Response>', `${'<saml:EncryptedAssertion/>'.repeat(500)}</samlp:Response>`),
    ],
  ])('%s costs nothing and is refused', async (_name, made) => {
    const subject = newSubject();
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const good = foreign.answer(request, { subject, attributes: addressOf(subject) });
    const bad = made(good);
    expect(bad).not.toBe(good);
    expect(problemOf(await post(browser, postedForm(bad, request)))).toBe('idp-refused');
  });

  it('are counted by address', async () => {
    const form = { SAMLResponse: 'PGEvPg==', RelayState: 'nothing' };
    const hasty = await anApi({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_FLOW: '3' });
    const statuses = [];
    for (let times = 0; times < 5; times += 1) {
      statuses.push((await new TestBrowser(hasty).post(`/login/idps/${idp.id}/callback`, form)).statusCode);
    }
    expect(statuses.slice(0, 3)).toEqual([400, 400, 400]);
    expect(statuses.at(-1)).toBe(429);
  });

  it('whose NameID is cut by a comment, for somebody else', async () => {
    const [subject, victim] = [`${newSubject()}.evil.test`, newSubject()];
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const nameId = `<saml:NameID Format="${FORMATS.persistent}">${victim}.evil.test</saml:NameID>`;
    const signed = foreign.answer(request, { subject, nameId, attributes: addressOf(subject) });
    const cut = signed.replace(`>${victim}.evil`, `>${victim}<!-- -->.evil`);
    expect(cut).not.toBe(signed);
    await whoIs(api, client, await post(browser, postedForm(cut, request)));
    // a signature does not know of comments: the name is still the whole of it
    expect(await usersBySubject(api, victim)).toEqual([]);
    expect(await usersBySubject(api, `${victim}.evil.test`)).toHaveLength(1);
  });
});

describe('attacks', () => {
  it('a response is good once, and so is an assertion', async () => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const subject = newSubject();
    const form = postedForm(foreign.answer(request, { subject, attributes: addressOf(subject) }), request);
    const path = `/login/idps/${idp.id}/callback`;
    const posts = await Promise.all([1, 2, 3].map(() => new TestBrowser(api).post(path, form)));
    const handles = posts.map((one) => redirected(one).get('answer') ?? '').filter((handle) => handle !== '');
    expect(handles).toHaveLength(1);
    // one that was not kept goes on with an empty one
    const good = posts.find((one) => (redirected(one).get('answer') ?? '') !== '');
    expect((await whoIs(api, client, await browser.get(good?.headers.location ?? '')))['email']).toBe(
      `${subject}@elsewhere.test`,
    );
    expect((await browser.get(good?.headers.location ?? '')).statusCode).toBe(400);
    expect((await new TestBrowser(api).post(path, form)).statusCode).toBe(400);
    // the same assertion with the state of another sign-in
    const again = new TestBrowser(api);
    const asked = await toProvider(again);
    const replayed = await post(again, { ...form, RelayState: asked.relayState });
    expect(problemOf(replayed)).toBe('idp-refused');
    // and another one with an ID that was here before
    const id = newId();
    const twice = async () => {
      const one = new TestBrowser(api);
      const read = await toProvider(one);
      const answer = foreign.answer(read, { subject, id, attributes: addressOf(subject) });
      return await post(one, postedForm(answer, read));
    };
    expect(redirected(await twice()).get('code')).not.toBeNull();
    expect(problemOf(await twice())).toBe('idp-refused');
  });

  it('a state takes ten answers in all, however many come at once (S295)', async () => {
    const subject = newSubject();
    const path = `/login/idps/${idp.id}/callback`;
    const begin = async () => {
      const browser = new TestBrowser(api);
      const request = await toProvider(browser);
      const good = postedForm(foreign.answer(request, { subject, attributes: addressOf(subject) }), request);
      const bad = { ...good, SAMLResponse: Buffer.from('<x/>').toString('base64') };
      return { browser, good, bad };
    };
    const flooded = await begin();
    const posts = await Promise.all(
      Array.from({ length: 25 }, async () => await new TestBrowser(api).post(path, flooded.bad)),
    );
    expect(posts.filter(({ statusCode }) => statusCode === 303)).toHaveLength(10);
    expect((await new TestBrowser(api).post(path, flooded.good)).statusCode).toBe(400);
    // fewer of them keep nobody out
    const other = await begin();
    for (let times = 0; times < 9; times += 1) await new TestBrowser(api).post(path, other.bad);
    expect(redirected(await post(other.browser, other.good)).get('code')).not.toBeNull();
  });

  it('a form signs nobody in by itself, and nobody in another browser', async () => {
    const attacker = new TestBrowser(api);
    const request = await toProvider(attacker);
    const subject = newSubject();
    const form = postedForm(foreign.answer(request, { subject, attributes: addressOf(subject) }), request);
    const victim = new TestBrowser(api);
    await toProvider(victim);
    const posted = await victim.post(`/login/idps/${idp.id}/callback`, form);
    expect(posted.statusCode).toBe(303);
    expect(posted.headers['set-cookie']).toBeUndefined();
    // what the victim's browser would follow to
    expect((await victim.get(posted.headers.location ?? '')).statusCode).toBe(400);
    // the state alone is worth nothing to whoever began
    const withoutHandle = `/login/idps/${idp.id}/callback?state=${request.relayState}&answer=`;
    expect(problemOf(await attacker.get(withoutHandle))).toBe('idp-refused');
    expect(await usersBySubject(api, subject)).toEqual([]);
  });

  it('a response that nobody asked for is refused', async () => {
    const request = await toProvider(new TestBrowser(api));
    const subject = newSubject();
    const answer = foreign.answer(request, { subject, attributes: addressOf(subject) });
    for (const relayState of ['', 'https://evil.test/', '/console', 'x'.repeat(43)]) {
      const posted = await new TestBrowser(api).post(
        `/login/idps/${idp.id}/callback`,
        postedForm(answer, { ...request, relayState }),
      );
      expect(posted.statusCode).toBe(400);
      expect(posted.headers.location).toBeUndefined();
    }
  });

  it('a provider says nothing of the users of another one', async () => {
    const subject = newSubject();
    const user = await whoIs(api, client, await signIn({ subject }));
    const evil = await addProvider(other, { name: 'Evil' });
    // its own answer at the address of the honest one, begun there
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    for (const issuer of [other.entityId, foreign.entityId]) {
      const forged = other.answer(request, { subject, issuer, attributes: addressOf(subject) });
      expect((await post(browser, postedForm(forged, request))).statusCode).not.toBe(200);
    }
    expect(await usersBySubject(api, subject)).toEqual([user['sub']]);
    // at its own address it speaks of its own people
    const another = new TestBrowser(api);
    const asked = await toProvider(another, { at: other, id: evil.id });
    const own = other.answer(asked, { subject, attributes: addressOf(newSubject()) });
    expect((await whoIs(api, client, await post(another, postedForm(own, asked), evil.id)))['sub']).not.toBe(
      user['sub'],
    );
    // and a state of one is unknown at the address of the other
    const third = new TestBrowser(api);
    const lost = await toProvider(third, { at: other, id: evil.id });
    const misplaced = foreign.answer(lost, { subject, attributes: addressOf(subject) });
    expect((await post(third, postedForm(misplaced, lost))).statusCode).toBe(400);
  });

  it('a subject that comes back after its user was deleted finds nothing of theirs', async () => {
    const subject = newSubject();
    const before = await whoIs(api, client, await signIn({ subject }));
    expect((await owner.call('DELETE', `users/${String(before['sub'])}`)).statusCode).toBe(200);
    expect((await whoIs(api, client, await signIn({ subject })))['sub']).not.toBe(before['sub']);
  });

  it('a provider that is switched off while somebody is there signs nobody in', async () => {
    const browser = new TestBrowser(api);
    const request = await toProvider(browser);
    const subject = newSubject();
    await owner.call('POST', `idps/${idp.id}/_deactivate`);
    const form = postedForm(foreign.answer(request, { subject, attributes: addressOf(subject) }), request);
    expect(problemOf(await post(browser, form))).toBe('idp-refused');
  });

  it('attributes that are named like members of objects are attributes', async () => {
    const subject = newSubject();
    const more = ['__proto__', 'constructor', 'toString']
      .map(
        (name) =>
          `<saml:Attribute Name="${name}"><saml:AttributeValue>x</saml:AttributeValue></saml:Attribute>`,
      )
      .join('');
    expect((await whoIs(api, client, await signIn({ subject, more })))['email']).toBe(
      `${subject}@elsewhere.test`,
    );
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('a provider of one organization signs in nobody of another', async () => {
    const elsewhere = await anOrganization(api);
    const theirs = await addProvider(other, {}, await aServiceUser(elsewhere, 'ORG_OWNER'));
    const browser = new TestBrowser(api);
    const request = await toProvider(browser, { at: other, id: theirs.id });
    const subject = newSubject();
    const answer = other.answer(request, { subject, attributes: addressOf(subject) });
    const user = await whoIs(api, client, await post(browser, postedForm(answer, request), theirs.id));
    const { rows } = await api.sql.query<{ org_id: string }>('SELECT org_id FROM users WHERE id = $1', [
      user['sub'],
    ]);
    expect(rows).toEqual([{ org_id: elsewhere.orgId }]);
  });
});
