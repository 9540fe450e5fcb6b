import { describe, expect, it } from 'vitest';
import { readImportRecord } from '../../../src/domain/imports/records/import-record.js';
import { converted, fixture, identity } from './support/run-cli.js';

const REALM = fixture('keycloak/acme-realm.json');
const FIREBASE = ['--hash-config', fixture('firebase/hash_config.txt')];

/** Converts, and holds each record against the reader of the import. */
async function identitiesOf(args: readonly string[], stdin?: string) {
  const { records, ...more } = await converted(args, stdin);
  const read = records.map((record) => {
    const imported = readImportRecord(record, Date.now());
    if (imported.kind !== 'human') throw new Error('a service user');
    return (imported.human.identities ?? []).map(({ providerId, subject, displayName }) => [
      providerId,
      subject,
      displayName,
    ]);
  });
  const summary = JSON.parse(more.err.trimEnd().split('\n').at(-1) ?? '{}') as {
    linked: number;
    remarks: string[];
  };
  return { ...more, ...summary, identities: read };
}

function realm(...links: readonly unknown[]): string {
  const users = [{ username: 'ada', email: 'ada@example.org', federatedIdentities: links }];
  return JSON.stringify({ users });
}

const link = (identityProvider: unknown, userId: unknown, userName: unknown = 'Ada') => ({
  identityProvider,
  userId,
  userName,
});
const lost = (alias: string, hint = alias) =>
  `the link to ${alias} is lost: --idp ${hint}=<id of the provider here> keeps it`;

describe('identity convert --idp', () => {
  it('keeps links of a realm, by the alias of the provider', async () => {
    const both = ['--idp', 'google=281', '--idp', 'acme-saml=282'];
    const { identities, linked, notes } = await identitiesOf(['keycloak', '--realm', REALM, ...both]);
    expect(identities).toEqual([
      [
        ['281', '110169484474386276334', 'dorothy@gmail.example'],
        ['282', 'G-7f3a', 'dvaughan'],
      ],
      [],
      [['281', '110169484474386276335', 'wernher@gmail.example']],
    ]);
    expect(linked).toBe(2);
    expect(Object.keys(notes).filter((text) => text.includes('link'))).toEqual([]);
  });

  it.each([
    ['JSON', 'firebase/users.json'],
    ['CSV', 'firebase/users.csv'],
  ])('keeps links of Firebase, by its provider id; a password is none: %s', async (_name, file) => {
    const args = ['firebase', '--users', fixture(file), ...FIREBASE, '--idp', 'google.com=281'];
    const { identities, notes } = await identitiesOf(args);
    expect(identities).toEqual([[], [['281', '110169484474386276336', 'george@example.org']]]);
    expect(notes).toEqual({});
  });

  it('keeps links of a Cognito pool, by the name of the provider, of JSON and CSV', async () => {
    const json = ['cognito', '--users', fixture('cognito/users.json'), '--idp', 'Google=281'];
    expect((await identitiesOf(json)).identities).toEqual([[['281', '110169484474386276337', '']]]);
    const cell = JSON.stringify([{ userId: 's-1', providerName: 'Google' }]).replaceAll('"', '""');
    const csv = `cognito:username,email,identities\na,a@x.org,"${cell}"\nb,b@x.org,damaged\n`;
    const { identities, notes } = await identitiesOf(['cognito', '--users', '-', '--idp', 'Google=281'], csv);
    expect(identities).toEqual([[['281', 's-1', '']], []]);
    expect(notes).toEqual({
      'links to providers that cannot be read (the attribute identities is not a list as JSON)': 1,
    });
  });

  it('keeps links of Auth0, by the connection; its own database is none', async () => {
    const args = ['auth0', '--users', fixture('auth0/users.ndjson')];
    const { identities, out, linked } = await identitiesOf([
      ...args,
      '--idp',
      'google-oauth2=281',
      '--idp',
      'acme=282',
    ]);
    expect(identities).toEqual([
      [],
      [['282', 'hopper-1906', 'ghopper@acme.example']],
      [],
      [['281', '112233445566778899001', 'ada@example.org']],
      [],
    ]);
    expect(linked).toBe(2);
    // tokens of other services stand beside the ids
    expect(out).not.toContain('at-of-grace');
  });

  it.each([
    ['oidc|acme|sub-1', ['acme', 'sub-1']],
    ['samlp|acme|jane|doe', ['acme', 'jane|doe']],
    ['waad|abc', ['waad', 'abc']],
    ['github|583231', ['github', '583231']],
    ['auth0|acme|1', undefined],
    ['email|5f7c', undefined],
  ])('knows of an Auth0 export without identities whose id %s is', async (user_id, known) => {
    const user = JSON.stringify({ user_id, email: 'a@example.org' });
    const all = ['acme', 'waad', 'github', 'auth0', 'email'].flatMap((alias) => [
      '--idp',
      `${alias}=${alias}`,
    ]);
    const { identities } = await identitiesOf(['auth0', '--users', '-', ...all], user);
    expect(identities).toEqual([known === undefined ? [] : [[...known, 'a@example.org']]]);
  });

  it('counts links to other providers by their alias, and says how to keep them', async () => {
    const hostile = `it's\u001B[2J`;
    const links = [link('google', '1'), link('my idp', '2'), link(hostile, '3'), link(undefined, '4')];
    const { notes, identities } = await identitiesOf(
      ['keycloak', '--realm', '-', '--idp', 'google=281'],
      realm(...links),
    );
    expect(identities).toEqual([[['281', '1', 'Ada']]]);
    expect(notes).toEqual({
      [lost('my idp', "'my idp'")]: 1,
      [lost("it's\uFFFD[2J", String.raw`'it'\''s${'\uFFFD'}[2J'`)]: 1,
      'a link to a provider without a name cannot be carried over': 1,
    });
  });

  it('does not fill the summary with the aliases of a damaged file', async () => {
    const links = Array.from({ length: 300 }, (_, index) => link(`provider-${index}`, '1'));
    const { notes } = await identitiesOf(['keycloak', '--realm', '-'], realm(...links));
    expect(Object.keys(notes)).toHaveLength(101);
    expect(notes['links to further providers are lost']).toBe(1);
  });

  it('says which alias never occurs, and which do', async () => {
    const typo = ['keycloak', '--realm', REALM, '--idp', 'gogle=281', '--idp', 'google=282'];
    const remark =
      '--idp gogle=…: the export has no link to a provider of that name; it has acme-saml, google.';
    expect((await identitiesOf(typo)).remarks).toEqual([remark]);
    expect((await identity(['convert', ...typo])).err).toContain(remark);
    const { remarks } = await identitiesOf(['keycloak', '--realm', '-', '--idp', 'google=1'], realm());
    expect(remarks).toEqual([
      '--idp google=…: the export has no link to a provider of that name; it has no links to providers at all.',
    ]);
  });

  it('tells the summary that users go on to sign in there', async () => {
    const { err } = await identity(['convert', 'keycloak', '--realm', REALM, '--idp', 'google=281']);
    expect(err).toContain('2 users: links to providers, by which they go on to sign in');
  });

  it('keeps two accounts at one provider, once each, and tells it', async () => {
    const { identities, notes } = await identitiesOf(
      ['keycloak', '--realm', '-', '--idp', 'google=281', '--idp', 'google-old=281'],
      realm(link('google', '1'), link('google-old', '2'), link('google-old', '1')),
    );
    expect(identities).toEqual([
      [
        ['281', '1', 'Ada'],
        ['281', '2', 'Ada'],
      ],
    ]);
    expect(notes).toEqual({
      'several links to one provider: all are kept, and whoever has one of these accounts signs in': 1,
    });
  });

  it.each([
    [
      'an id that is missing',
      link('google', undefined),
      'the link to google does not say for certain who the user is there: left out',
    ],
    [
      'a number that JSON has rounded',
      link('google', 2 ** 60),
      'the link to google does not say for certain who the user is there: left out',
    ],
    [
      'an id that is too long',
      link('google', 'x'.repeat(256)),
      'a link to a provider by an id that the import does not take: left out',
    ],
    [
      'an id with a control',
      link('google', 'x\u0000y'),
      'a link to a provider by an id that the import does not take: left out',
    ],
  ])('costs the link and not the user: %s', async (_name, broken, told) => {
    const { identities, notes, code } = await identitiesOf(
      ['keycloak', '--realm', '-', '--idp', 'google=281'],
      realm(broken, link('google', '1', 'x'.repeat(201))),
    );
    // nor does a name that is too long cost the link
    expect(identities).toEqual([[['281', '1', '']]]);
    expect(notes).toEqual({ [told]: 1 });
    expect(code).toBe(0);
  });

  it('keeps as many as a user can have', async () => {
    const links = Array.from({ length: 22 }, (_, index) => link('google', String(index + 1)));
    const { identities, notes } = await identitiesOf(
      ['keycloak', '--realm', '-', '--idp', 'google=281'],
      realm(...links),
    );
    expect(identities[0]).toHaveLength(20);
    expect(notes).toHaveProperty(
      ['more links to providers than a user can have: the last ones are left out'],
      1,
    );
  });

  it('stands in the document dataOrgs, too', async () => {
    const args = ['convert', 'keycloak', '--realm', REALM, '--idp', 'google=281'];
    const { out } = await identity([...args, '--format', 'dataorgs', '--org', '1']);
    expect(JSON.parse(out)).toMatchObject({
      dataOrgs: {
        orgs: [
          {
            humanUsers: [
              { user: { idps: [{ configId: '281', externalUserId: '110169484474386276334' }] } },
              {},
              { user: { idps: [{ configId: '281', externalUserId: '110169484474386276335' }] } },
            ],
          },
        ],
      },
    });
  });
});
