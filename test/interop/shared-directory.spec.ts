import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_DN, BIND_DN, BIND_PASSWORD } from '../support/directory.js';
import { AppSignIn, fillForm } from './support/app-sign-in.js';
import { Keycloak } from './support/keycloak.js';
import { record } from './support/matrix.js';
import { entryOf, OTHER_UNIT, Slapd } from './support/slapd.js';
import { Stage } from './support/stage.js';
import { WebBrowser, type Page } from './support/web-browser.js';

// One directory (OpenLDAP) that Keycloak and this service ask side by side: whom one lets in the other does, and whom one refuses.

const PASSWORD = 'Marker-0ld-Passw0rd!';
const NEW_PASSWORD = 'Marker-N3w-Passw0rd!';
const UMLAUT = 'Märker-Größe-7-ß!';
const CLIENT_SECRET = 'a secret of tests';

const PEOPLE = [
  { uid: 'ada', givenName: 'Ada', sn: 'Byron', password: PASSWORD },
  { uid: 'jürgen', givenName: 'Jürgen', sn: 'Müßig', password: UMLAUT, mailbox: 'juergen' },
  { uid: 'grace', givenName: 'Grace', sn: 'Hopper', password: PASSWORD },
  { uid: 'edith', givenName: 'Edith', sn: 'Clarke', password: PASSWORD },
  { uid: 'locked', givenName: 'Lou', sn: 'Locked', password: PASSWORD, locked: true },
];

/** One way in, at an organization of its own: nobody there knows anybody of the other ones. */
interface Way {
  readonly name: string;
  readonly app: AppSignIn;
  readonly enter: (browser: WebBrowser, loginName: string, password: string) => Promise<Page>;
  /** What a page says to whoever is refused. */
  readonly refusal: string;
}

let directory: Slapd;
let keycloak: Keycloak;
let stage: Stage;
const ways: Way[] = [];

beforeAll(async () => {
  directory = await Slapd.start(PEOPLE);
  [keycloak, stage] = await Promise.all([
    Keycloak.start([directory.authorityFile]),
    Stage.build({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_SIGN_IN: '1000', RATE_LIMIT_FLOW: '1000' }),
  ]);
  await keycloak.federate({
    connectionUrl: directory.ldapsUrl,
    usersDn: BASE_DN,
    bindDn: BIND_DN,
    bindCredential: BIND_PASSWORD,
  });
  ways.push(await byDirectory(stage), await byKeycloak(await stage.elsewhere()));
}, 600_000);
afterAll(async () => {
  for (const { app } of ways) app.close();
  await Promise.all([keycloak.stop(), stage.close()]);
  await directory.stop();
});

const settings = () => ({
  kind: 'ldap',
  urls: [directory.ldapsUrl],
  caCertificate: directory.authority,
  baseDn: BASE_DN,
  bindDn: BIND_DN,
  bindPassword: BIND_PASSWORD,
  userFilter: '(&(objectClass=inetOrgPerson)(uid={loginName}))',
  trustEmail: true,
});

async function provider(at: Stage, body: object): Promise<{ id: string; callbackUrl: string }> {
  const added = await at.manage<{ id: string; callbackUrl: string }>('idps', {
    allowCreation: true,
    ...body,
  });
  await at.manage(`idps/${added.id}/_activate`, {});
  return added;
}

/** This service asks the directory itself. */
async function byDirectory(at: Stage): Promise<Way> {
  const { id } = await provider(at, { ...settings(), name: 'Directory' });
  const app = await AppSignIn.open(at);
  return {
    name: 'the directory',
    app,
    enter: async (browser, loginName, password) =>
      await fillForm(browser, await app.toProvider(browser, id), { loginName, password }),
    refusal: ', user name or password.',
  };
}

/** Keycloak asks the directory, on its own page, and this service asks Keycloak. */
async function byKeycloak(at: Stage): Promise<Way> {
  const clientId = `identity-service-${randomUUID()}`;
  const { issuer } = keycloak;
  const client = { issuer, clientId, clientSecret: CLIENT_SECRET };
  const { id, callbackUrl } = await provider(at, { kind: 'oidc', name: 'Keycloak', ...client });
  await keycloak.addClient({ clientId, secret: CLIENT_SECRET, redirectUris: [callbackUrl] });
  const app = await AppSignIn.open(at);
  return {
    name: 'Keycloak',
    app,
    enter: async (browser, username, password) =>
      await fillForm(browser, await app.toProvider(browser, id), { username, password }),
    refusal: 'Invalid username or password',
  };
}

/** People come over from the directory at their first sign-in, which has nobody's name but the one that was typed. */
async function byMigration(at: Stage): Promise<Way> {
  const endsAt = new Date(Date.now() + 86_400_000).toISOString();
  await at.manage('user_migration', { ...settings(), isActive: true, endsAt, deadlineMs: 1000 }, 'PUT');
  const app = await AppSignIn.open(at);
  return {
    name: 'just-in-time migration',
    app,
    enter: async (browser, loginName, password) =>
      await fillForm(browser, await app.begin(browser), { loginName, password }),
    refusal: ', user name or password.',
  };
}

async function signIn(way: Way, uid: string, password: string): Promise<Record<string, unknown>> {
  const page = await way.enter(new WebBrowser(), uid, password);
  return await way.app.claimsOf(await way.app.tokensOf(page));
}

async function expectRefused(way: Way, uid: string, password: string): Promise<void> {
  const page = await way.enter(new WebBrowser(), uid, password);
  expect(way.app.arrived(page), `${way.name}: ${uid}`).toBe(false);
  expect(page.text.includes(way.refusal), `${way.name}: ${uid} at ${page.url.href}`).toBe(true);
}

describe('one directory for Keycloak and this service', () => {
  it('has the same people sign in at both, with the same names', async () => {
    for (const way of ways) {
      for (const { uid, givenName, sn, password, mailbox = uid, locked = false } of PEOPLE) {
        if (locked) continue;
        expect(await signIn(way, uid, password), `${way.name}: ${uid}`).toMatchObject({
          given_name: givenName,
          family_name: sn,
          email: `${mailbox}@acme.test`,
          email_verified: true,
        });
      }
    }
  });

  it('has the same people refused at both', async () => {
    for (const way of ways) {
      for (const [uid, password] of [
        ['ada', 'wrong'],
        ['ada', PASSWORD.toLowerCase()],
        ['jürgen', PASSWORD],
        ['nobody', PASSWORD],
        ['*', PASSWORD],
        ['locked', PASSWORD],
      ] as const) {
        await expectRefused(way, uid, password);
      }
    }
  });

  it('lets somebody in at both once an administrator has unlocked them', async () => {
    await directory.unlock(entryOf('locked'));
    for (const way of ways) {
      expect(await signIn(way, 'locked', PASSWORD), way.name).toMatchObject({ family_name: 'Locked' });
    }
  });

  it('has a password that was changed there hold at both, and the one before at neither', async () => {
    await directory.setPassword(entryOf('edith'), NEW_PASSWORD);
    for (const way of ways) {
      await expectRefused(way, 'edith', PASSWORD);
      expect(await signIn(way, 'edith', NEW_PASSWORD), way.name).toMatchObject({ given_name: 'Edith' });
    }
  });

  it('has whoever moved in its tree stay who they were at both', async () => {
    const before: unknown[] = [];
    for (const way of ways) before.push((await signIn(way, 'grace', PASSWORD))['sub']);
    await directory.move(entryOf('grace'), entryOf('grace', OTHER_UNIT));
    for (const [nth, way] of ways.entries()) {
      expect((await signIn(way, 'grace', PASSWORD))['sub'], way.name).toBe(before[nth]);
      await expectRefused(way, 'grace', 'wrong');
    }
  });

  it('lets the same people come over for good', async () => {
    const at = await stage.elsewhere();
    const way = await byMigration(at);
    ways.push(way);
    for (const [uid, password] of [
      ['ada', 'wrong'],
      ['jürgen', PASSWORD],
      ['edith', PASSWORD],
      ['nobody', PASSWORD],
    ] as const) {
      await expectRefused(way, uid, password);
    }
    const ada = await signIn(way, 'ada', PASSWORD);
    expect(ada).toMatchObject({ given_name: 'Ada', email: 'ada@acme.test', email_verified: true });
    expect(await signIn(way, 'jürgen', UMLAUT)).toMatchObject({ given_name: 'Jürgen', family_name: 'Müßig' });
    expect(await signIn(way, 'edith', NEW_PASSWORD)).toMatchObject({ given_name: 'Edith' });
    expect(await signIn(way, 'grace', PASSWORD)).toMatchObject({ given_name: 'Grace' });
    // who has come over has a password here, and one that is changed there is none of theirs
    await directory.setPassword(entryOf('ada'), NEW_PASSWORD);
    expect((await signIn(way, 'ada', PASSWORD))['sub']).toBe(ada['sub']);
    await expectRefused(way, 'ada', NEW_PASSWORD);
    for (const asks of ways.slice(0, 2)) {
      await expectRefused(asks, 'ada', PASSWORD);
      expect(await signIn(asks, 'ada', NEW_PASSWORD), asks.name).toMatchObject({ given_name: 'Ada' });
    }
    await record({
      client: 'OpenLDAP (slapd), with Keycloak beside us',
      version: `${directory.version}, ${keycloak.version}`,
      did: ['the same sign-ins and refusals', 'locked, moved and changed entries', 'just-in-time migration'],
    });
  });
});
