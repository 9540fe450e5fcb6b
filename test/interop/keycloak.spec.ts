import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unescapeHtml } from '../support/browser-flow.js';
import { AppSignIn, fillForm, type Tokens } from './support/app-sign-in.js';
import { Keycloak } from './support/keycloak.js';
import { record } from './support/matrix.js';
import { Stage } from './support/stage.js';
import { WebBrowser, type Page } from './support/web-browser.js';

// Somebody else's identity provider: people sign in with Keycloak, by OpenID Connect and by SAML.

const CLIENT_ID = 'identity-service';
const CLIENT_SECRET = 'a secret of tests';
const PASSWORD = 'Marker-K3ycloak!';

let keycloak: Keycloak;
let stage: Stage;
let app: AppSignIn;
const people: Record<string, string> = {};

beforeAll(async () => {
  [keycloak, stage] = await Promise.all([
    Keycloak.start(),
    Stage.build({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' }),
  ]);
  for (const name of ['ada', 'grace', 'edith', 'jean']) people[name] = await keycloak.addUser(name, PASSWORD);
  app = await AppSignIn.open(stage);
}, 300_000);
afterAll(async () => {
  app.close();
  await Promise.all([keycloak.stop(), stage.close()]);
});

/** On Keycloak's own page, and back. */
async function signInThere(browser: WebBrowser, page: Page, username: string): Promise<Page> {
  return await passForms(browser, await fillForm(browser, page, { username, password: PASSWORD }));
}

/** What either posts to the other by way of the browser is posted. */
async function passForms(browser: WebBrowser, page: Page): Promise<Page> {
  const posted = page.forms.find(({ fields }) =>
    fields.some(({ name }) => name === 'SAMLResponse' || name === 'SAMLRequest'),
  );
  return posted === undefined ? page : await passForms(browser, await browser.submit(page, posted));
}

/** The application has somebody signed out. @returns where our page leads on to, at Keycloak */
async function signOutHere(browser: WebBrowser, tokens: Tokens): Promise<string> {
  const bye = new URL(`${stage.issuer}/oidc/v1/end_session`);
  bye.search = new URLSearchParams({
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: `${app.origin}/bye`,
    state: 's',
  }).toString();
  const page = await browser.open(bye);
  return unescapeHtml(/id="go-on" href="([^"]*)"/.exec(page.text)?.[1] ?? '');
}

async function add(settings: object): Promise<{ readonly id: string; readonly callbackUrl: string }> {
  const added = await stage.manage<{ id: string; callbackUrl: string }>('idps', {
    allowCreation: true,
    ...settings,
  });
  await stage.manage(`idps/${added.id}/_activate`, {});
  return added;
}

describe('Keycloak by OpenID Connect', () => {
  let idp: { readonly id: string; readonly callbackUrl: string };
  beforeAll(async () => {
    idp = await add({
      kind: 'oidc',
      name: 'Keycloak',
      issuer: keycloak.issuer,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      signOutAtProvider: true,
    });
    const ours = idp.callbackUrl.replace(/callback$/, '');
    await keycloak.addClient({
      clientId: CLIENT_ID,
      secret: CLIENT_SECRET,
      redirectUris: [idp.callbackUrl],
      attributes: {
        'post.logout.redirect.uris': `${ours}signed_out`,
        'backchannel.logout.url': `${ours}backchannel_logout`,
        'backchannel.logout.session.required': 'true',
      },
    });
  });

  it('signs people in, and out again at both', async () => {
    const browser = new WebBrowser();
    const tokens = await app.tokensOf(
      await signInThere(browser, await app.toProvider(browser, idp.id), 'ada'),
    );
    expect(await app.claimsOf(tokens)).toMatchObject({
      given_name: 'ada',
      family_name: 'Byron',
      email: 'ada@acme.test',
      email_verified: true,
    });
    const onward = await signOutHere(browser, tokens);
    expect(onward).toContain(keycloak.issuer);
    const back = await browser.open(onward);
    expect(back.url.href, back.text.slice(0, 500)).toBe(`${app.origin}/bye?state=s`);
    expect((await app.userinfo(tokens)).status).toBe(401);
    // it asks again, since it knows of nobody any more
    const again = await app.toProvider(browser, idp.id);
    expect(await app.claimsOf(await app.tokensOf(await signInThere(browser, again, 'grace')))).toMatchObject({
      email: 'grace@acme.test',
    });
  });

  it('ends what began there when somebody is signed out there', async () => {
    const browser = new WebBrowser();
    const tokens = await app.tokensOf(
      await signInThere(browser, await app.toProvider(browser, idp.id), 'edith'),
    );
    expect((await app.userinfo(tokens)).status).toBe(200);
    await keycloak.signOut(people['edith'] ?? '');
    await expect.poll(async () => (await app.userinfo(tokens)).status, { timeout: 10_000 }).toBe(401);
  });

  it('is connected with an account that is there', async () => {
    const browser = new WebBrowser();
    const login = await browser.open(`${stage.issuer}/login`);
    const form = login.forms.find(({ fields }) => fields.some(({ name }) => name === 'loginName'));
    if (form === undefined) throw new Error(login.text.slice(0, 500));
    await browser.submit(login, form, { loginName: stage.user.loginName, password: stage.password });
    const account = await browser.open(`${stage.issuer}/account/security/identities`);
    const connect = account.forms.find(({ action }) => action.endsWith('/connect'));
    if (connect === undefined) throw new Error(account.text.slice(0, 2000));
    const sent = await browser.submit(account, connect, { target: idp.id });
    const way = unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.text)?.[1] ?? '');
    const done = await signInThere(browser, await browser.open(new URL(way, stage.issuer)), 'jean');
    expect(done.url.search).toBe('?done=identityAdded');
    const other = new WebBrowser();
    const tokens = await app.tokensOf(await signInThere(other, await app.toProvider(other, idp.id), 'jean'));
    expect(await app.claimsOf(tokens)).toMatchObject({ sub: stage.user.userId });
    const did = ['sign-in', 'connected with an account', 'sign-out here and there', 'back-channel logout'];
    await record({ client: 'Keycloak as OpenID Connect provider', version: keycloak.version, did });
  });
});

describe('Keycloak by SAML', () => {
  let idp: { readonly id: string; readonly callbackUrl: string };
  let clientThere: string;
  const did = [
    'its metadata, and ours',
    'sign-in with signed requests, signed and encrypted assertions',
    'Single Logout from here',
    'Single Logout from there, by the browser and from server to server',
  ];

  beforeAll(async () => {
    idp = await add({
      kind: 'saml',
      name: 'Keycloak SAML',
      metadataUrl: `${keycloak.issuer}/protocol/saml/descriptor`,
      trustEmail: true,
      wantAssertionsEncrypted: true,
      signOutAtProvider: true,
    });
    const metadata = await (await fetch(idp.callbackUrl.replace(/callback$/, 'metadata'))).text();
    const client = await keycloak.readMetadata(metadata);
    const mapper = (name: string, property: string) => ({
      name,
      protocol: 'saml',
      protocolMapper: 'saml-user-property-mapper',
      config: { 'user.attribute': property, 'attribute.name': name, 'attribute.nameformat': 'Basic' },
    });
    clientThere = await keycloak.addClient({
      ...client,
      attributes: {
        ...(client['attributes'] as object),
        'saml.assertion.signature': 'true',
        saml_name_id_format: 'persistent',
        'saml.encrypt': 'true',
      },
      protocolMappers: [
        mapper('email', 'email'),
        mapper('firstName', 'firstName'),
        mapper('lastName', 'lastName'),
      ],
    });
    for (const name of ['mary', 'sophie', 'emmy', 'rosa', 'hedy'])
      people[name] = await keycloak.addUser(name, PASSWORD);
  });

  it('signs people in, by a response that is signed and encrypted', async () => {
    const browser = new WebBrowser();
    const arrived = await signInThere(browser, await app.toProvider(browser, idp.id), 'ada');
    // an account has the address already: its owner shows that it is theirs, by its own means
    expect(arrived.url.origin).toBe(stage.issuer);
    expect(arrived.url.searchParams.get('idp')).toBeNull();
    expect(arrived.text).toContain('ada@acme.test');
    const fresh = new WebBrowser();
    const tokens = await app.tokensOf(await signInThere(fresh, await app.toProvider(fresh, idp.id), 'mary'));
    expect(await app.claimsOf(tokens)).toMatchObject({ given_name: 'mary', email: 'mary@acme.test' });
  });

  it('signs people out at both where they sign out here', async () => {
    const browser = new WebBrowser();
    const sophie = people['sophie'] ?? '';
    const tokens = await app.tokensOf(
      await signInThere(browser, await app.toProvider(browser, idp.id), 'sophie'),
    );
    expect(await keycloak.sessionsOf(sophie)).toBe(1);
    const onward = await signOutHere(browser, tokens);
    expect(onward).toContain(`${keycloak.issuer}/protocol/saml`);
    const back = await passForms(browser, await browser.open(onward));
    expect(back.url.href, back.text.slice(0, 500)).toBe(`${app.origin}/bye?state=s`);
    expect((await app.userinfo(tokens)).status).toBe(401);
    expect(await keycloak.sessionsOf(sophie)).toBe(0);
    // it asks again, since it knows of nobody any more
    const again = await app.toProvider(browser, idp.id);
    expect(again.forms.some(({ fields }) => fields.some(({ name }) => name === 'password'))).toBe(true);
  });

  /** Signs in, and out again at Keycloak. @returns what Keycloak says at last */
  async function signsOutThere(name: string): Promise<Page> {
    const browser = new WebBrowser();
    const tokens = await app.tokensOf(
      await signInThere(browser, await app.toProvider(browser, idp.id), name),
    );
    expect((await app.userinfo(tokens)).status).toBe(200);
    const asked = await browser.open(`${keycloak.issuer}/protocol/openid-connect/logout`);
    const confirm = asked.forms.find(({ fields }) => fields.some((field) => field.name === 'session_code'));
    if (confirm === undefined) throw new Error(asked.text.slice(0, 2000));
    const done = await passForms(browser, await browser.submit(asked, confirm));
    await expect.poll(async () => (await app.userinfo(tokens)).status, { timeout: 10_000 }).toBe(401);
    return done;
  }

  it('ends what began there when somebody signs out there with their browser', async () => {
    const done = await signsOutThere('emmy');
    // our answer was good enough for it to end its own
    expect(done.url.origin, done.text.slice(0, 2000)).toBe(keycloak.origin);
    expect(done.status).toBe(200);
    expect(await keycloak.sessionsOf(people['emmy'] ?? '')).toBe(0);
  });

  it('ends what began there when an administrator ends the session there, from server to server', async () => {
    // the metadata has it go by the browser alone, which an administrator has not got
    await keycloak.changeClient(clientThere, { frontchannelLogout: false });
    const browser = new WebBrowser();
    const tokens = await app.tokensOf(
      await signInThere(browser, await app.toProvider(browser, idp.id), 'rosa'),
    );
    expect((await app.userinfo(tokens)).status).toBe(200);
    await keycloak.signOut(people['rosa'] ?? '');
    await expect.poll(async () => (await app.userinfo(tokens)).status, { timeout: 10_000 }).toBe(401);
    // and so it does then for whoever signs out with their browser
    await signsOutThere('hedy');
    await record({ client: 'Keycloak as SAML provider', version: keycloak.version, did });
  });
});
