import { Client, DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

/**
 * Two organizations, a and b. In a: the user ann with an agent, a session, a grant and a refresh-token family; the
 * machine bot; a project with an application. In b: the user bob and a project.
 */
const WORLD = `
  INSERT INTO data_keys (id, wrapped, master_key_id) VALUES (100, '\\x00', 'm');
  INSERT INTO organizations (id, name) VALUES ('a', 'A'), ('b', 'B');
  INSERT INTO users (id, org_id, kind, user_name) VALUES
    ('ann', 'a', 'human', 'ann'), ('bot', 'a', 'machine', 'bot'), ('bob', 'b', 'human', 'bob');
  INSERT INTO projects (id, org_id, name) VALUES ('pa', 'a', 'P'), ('pb', 'b', 'P');
  INSERT INTO applications (id, org_id, project_id, client_id, name, kind, auth_method)
    VALUES ('app', 'a', 'pa', 'client', 'App', 'oidc', 'none');
  INSERT INTO user_agents (id, secret_hash) VALUES ('agent', '\\x01');
  INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch)
    VALUES ('s', 'a', 'ann', 'agent', now(), '{pwd}', 0);
  INSERT INTO authorizations (id, org_id, user_id, application_id, session_id, scopes, audience, auth_time, amr, subject_epoch)
    VALUES ('g', 'a', 'ann', 'app', 's', '{openid}', '{client}', now(), '{pwd}', 0);
  INSERT INTO refresh_token_families (authorization_id, absolute_expires_at) VALUES ('g', now());
`;

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await cloneDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(WORLD);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Runs statements in a transaction that is always undone, and names the constraint that stopped one, if any. */
async function violatedBy(...statements: string[]): Promise<string | undefined> {
  await client.query('BEGIN');
  try {
    for (const sql of statements) await client.query(sql);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseError && error.code?.startsWith('23'))
      return error.constraint ?? error.message;
    throw error;
  } finally {
    await client.query('ROLLBACK');
  }
}

const user = (id: string, org: string): string =>
  `INSERT INTO users (id, org_id, kind, user_name) VALUES ('${id}', '${org}', 'human', 'x')`;
const human = (org: string, userId: string, columns = '', values = ''): string =>
  `INSERT INTO user_humans (user_id, org_id, first_name, last_name, display_name, email ${columns})
   VALUES ('${userId}', '${org}', 'A', 'B', 'A B', 'a@x.test' ${values})`;
const domain = (org: string, name: string, verified: boolean, primary: boolean): string =>
  `INSERT INTO organization_domains (org_id, domain, is_verified, is_primary)
   VALUES ('${org}', '${name}', ${verified}, ${primary})`;
const membership = (userOrg: string, userId: string, role: string, org: string | null): string =>
  `INSERT INTO memberships (user_org_id, user_id, role, org_id)
   VALUES ('${userOrg}', '${userId}', '${role}', ${org === null ? 'NULL' : `'${org}'`})`;
const identifier = (org: string, userId: string, canonical: string): string =>
  `INSERT INTO login_identifiers (org_id, kind, canonical, user_id) VALUES ('${org}', 'email', '${canonical}', '${userId}')`;
const application = (columns: Readonly<Record<string, string>>): string => {
  const row = {
    org_id: `'a'`,
    project_id: `'pa'`,
    name: `'N'`,
    kind: `'oidc'`,
    auth_method: `'none'`,
    ...columns,
  };
  return `INSERT INTO applications (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')})`;
};
const passwordAttempts = (
  org: string,
  userId: string,
  attempts: number,
  forgiven: number,
  wrong = 0,
): string =>
  `INSERT INTO password_attempts (org_id, user_id, attempts, forgiven, wrong, last_at)
   VALUES ('${org}', '${userId}', ${attempts}, ${forgiven}, ${wrong}, now())`;
const verificationCode = (id: string, attempts = 0): string =>
  `INSERT INTO verification_codes (id, org_id, user_id, purpose, target, code_hash, attempts, expires_at)
   VALUES ('${id}', 'a', 'ann', 'verify_email', 'a@x.test', '\\x01', ${attempts}, now())`;
const session = (id: string, org: string, userId: string): string =>
  `INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch)
   VALUES ('${id}', '${org}', '${userId}', 'agent', now(), '{pwd}', 0)`;
const endSession = (id: string): string =>
  `UPDATE sessions SET ended_at = now(), end_reason = 'x' WHERE id = '${id}'`;
const refreshToken = (hash: string): string =>
  `INSERT INTO refresh_tokens (hash, authorization_id, idle_expires_at) VALUES ('\\x${hash}', 'g', now())`;
const useRefreshToken = (hash: string, successor: string): string =>
  `UPDATE refresh_tokens SET used_at = now(), successor_hash = ${successor} WHERE hash = '\\x${hash}'`;
const signingKey = (kid: string, algorithm: string, state: string, sealed = `'\\x01', 100`): string =>
  `INSERT INTO signing_keys (kid, algorithm, state, public_jwk, private_sealed, data_key_id)
   VALUES ('${kid}', '${algorithm}', '${state}', '{}', ${sealed})`;
const tokenKey = (state: string): string =>
  `INSERT INTO token_keys (state, sealed, data_key_id) VALUES ('${state}', '\\x01', 100)`;
const notification = (state: string, finished: string, content: string): string =>
  `INSERT INTO notifications (org_id, user_id, channel, template, code_id, state, finished_at, content_sealed)
   VALUES ('a', 'ann', 'email', 'initialise', 'c', '${state}', ${finished}, ${content})`;
const branding = (columns: Readonly<Record<string, string>>): string =>
  `INSERT INTO branding_policies (org_id, ${Object.keys(columns).join(', ')})
   VALUES ('a', ${Object.values(columns).join(', ')})`;
const messageTemplate = (columns: Readonly<Record<string, string>>): string => {
  const all = { org_id: `'a'`, type: `'initialise'`, language: `'en'`, ...columns };
  return `INSERT INTO message_templates (${Object.keys(all).join(', ')}) VALUES (${Object.values(all).join(', ')})`;
};
const LOGO_NAME = `'${'0'.repeat(64)}.png'`;
const authRequest = (destination: string, applicationId: string): string =>
  `INSERT INTO auth_requests (id, user_agent_id, destination, application_id, redirect_uri, response_type, expires_at)
   VALUES ('r', 'agent', '${destination}', ${applicationId}, 'https://x.test', 'code', now())`;

describe('refused', () => {
  const cases: readonly (readonly [rule: string, constraint: string, ...statements: string[]])[] = [
    [
      'a colour that is more than one',
      'branding_policies_accent_color',
      branding({ accent_color: `'#fff;}'` }),
    ],
    [
      'a logo past 128 KiB',
      'branding_policies_logo',
      branding({ logo: `decode(repeat('00', 131073), 'hex')`, logo_name: LOGO_NAME }),
    ],
    ['a logo without its name', 'branding_policies_logo_named', branding({ logo: `'\\x01'` })],
    ['a logo’s name without a logo', 'branding_policies_logo_named', branding({ logo_name: LOGO_NAME })],
    [
      'a logo of another type',
      'branding_policies_logo_name',
      branding({ logo: `'\\x01'`, logo_name: LOGO_NAME.replace('png', 'svg') }),
    ],
    ['a help page that is no page', 'branding_policies_help_url', branding({ help_url: `'javascript:x'` })],
    [
      'a privacy page without https',
      'branding_policies_privacy_url',
      branding({ privacy_url: `'http://a.test'` }),
    ],
    [
      'a language that is none',
      'branding_policies_default_language',
      branding({ default_language: `'../x'` }),
    ],
    [
      'two texts of an organization for one message',
      'message_templates_once',
      messageTemplate({ title: `'x'` }),
      messageTemplate({ title: `'x'` }),
    ],
    [
      'two texts of the instance for one message',
      'message_templates_once',
      messageTemplate({ org_id: 'NULL', title: `'x'` }),
      messageTemplate({ org_id: 'NULL', title: `'x'` }),
    ],
    [
      'texts of no organization',
      'message_templates_org',
      messageTemplate({ org_id: `'nobody'`, title: `'x'` }),
    ],
    ['texts that say nothing', 'message_templates_some', messageTemplate({})],
    [
      'texts of an unknown message',
      'message_templates_type',
      messageTemplate({ type: `'hello'`, title: `'x'` }),
    ],
    [
      'texts in a language that is none',
      'message_templates_language',
      messageTemplate({ language: `'../x'`, title: `'x'` }),
    ],
    ['a short message’s text in a mail', 'message_templates_channel', messageTemplate({ sms_text: `'x'` })],
    [
      'a mail’s text in a short message',
      'message_templates_channel',
      messageTemplate({ type: `'verify_phone'`, text: `'x'` }),
    ],
    ['a subject of two lines', 'message_templates_lines', messageTemplate({ subject: `E'a\\nBcc: b'` })],
    ['a text without an end', 'message_templates_text', messageTemplate({ text: `repeat('x', 4001)` })],
    [
      'a policy of no organization',
      'login_policies_org',
      `INSERT INTO login_policies (org_id) VALUES ('nobody')`,
    ],
    ['a profile in another organization than its user', 'user_humans_user', human('b', 'ann')],
    [
      'a password in another organization',
      'user_passwords_user',
      `INSERT INTO user_passwords (user_id, org_id, hash, scheme) VALUES ('ann', 'b', 'h', 's')`,
    ],
    [
      'a machine in another organization',
      'service_users_user',
      `INSERT INTO service_users (user_id, org_id, name) VALUES ('bot', 'b', 'Bot')`,
    ],
    ['a login name in another organization', 'login_identifiers_user', identifier('b', 'ann', 'ann@x.test')],
    [
      'a role whose user is said to be of another organization',
      'memberships_user',
      membership('b', 'ann', 'ORG_OWNER', 'b'),
    ],
    [
      'a key of a service user of another organization',
      'service_user_keys_user',
      `INSERT INTO service_user_keys (org_id, user_id, public_jwk, expires_at)
       VALUES ('b', 'bot', '{"kty":"OKP"}', now())`,
    ],
    [
      'the private half of a key',
      'service_user_keys_public',
      `INSERT INTO service_user_keys (org_id, user_id, public_jwk, expires_at)
       VALUES ('a', 'bot', '{"kty":"OKP","d":"x"}', now())`,
    ],
    [
      'a personal access token in another organization',
      'personal_access_tokens_user',
      `INSERT INTO personal_access_tokens (org_id, user_id, token_hash) VALUES ('b', 'bot', '\\x01')`,
    ],
    [
      'a verification code in another organization',
      'verification_codes_user',
      verificationCode('c').replace("'a', 'ann'", "'b', 'ann'"),
    ],
    [
      'an application of another organization than its project',
      'applications_project',
      application({ org_id: `'b'` }),
    ],
    ['a session in another organization than its user', 'sessions_user', session('s2', 'b', 'bot')],
    [
      'a grant in another organization than its user',
      'authorizations_user',
      `UPDATE authorizations SET org_id = 'b'`,
    ],
    [
      'a notification to a user of another organization',
      'notifications_user',
      notification('pending', 'NULL', 'NULL').replace("'a', 'ann'", "'b', 'ann'"),
    ],
    [
      'an API project outside the default organization',
      'instance_api_project',
      `INSERT INTO instance (default_org_id, api_project_id) VALUES ('a', 'pb')`,
    ],
    [
      'moving a user while a session points at them',
      'sessions_user',
      `UPDATE users SET org_id = 'b' WHERE id = 'ann'`,
    ],

    [
      'a second instance',
      'instance_pkey',
      ...Array<string>(2).fill(`INSERT INTO instance (default_org_id, api_project_id) VALUES ('a', 'pa')`),
    ],
    [
      'an instance of another name',
      'instance_one_row',
      `INSERT INTO instance (id, default_org_id, api_project_id) VALUES (false, 'a', 'pa')`,
    ],

    [
      'a primary domain that is not verified',
      'organization_domains_primary',
      domain('a', 'x.test', false, true),
    ],
    [
      'a domain verified by two organizations',
      'organization_domains_verified',
      domain('a', 'x.test', true, false),
      domain('b', 'x.test', true, false),
    ],
    [
      'two primary domains',
      'organization_domains_one_primary',
      domain('a', 'x.test', true, true),
      domain('a', 'y.test', true, true),
    ],
    ['a domain in capitals', 'organization_domains_domain', domain('a', 'X.test', true, false)],
    ['an organization without a name', 'organizations_name', `INSERT INTO organizations (name) VALUES ('')`],

    ['an empty user id', 'users_id', user('', 'a')],
    ['a user id of 201 characters', 'users_id', user('x'.repeat(201), 'a')],
    ['a blank in a user id', 'users_id', user('x y', 'a')],
    ['a line end after a user id', 'users_id', user('x\n', 'a')],
    ['a letter beyond ASCII in a user id', 'users_id', user('é', 'a')],
    ['one user id in two organizations', 'users_pkey', user('ann', 'b')],
    [
      'one name twice in an organization',
      'login_identifiers_pkey',
      identifier('a', 'ann', 'x@x.test'),
      identifier('a', 'bot', 'x@x.test'),
    ],
    [
      'a verified phone that is not there',
      'user_humans_phone_verified',
      human('a', 'ann', ', phone_verified', ', true'),
    ],
    [
      'a phone number without its plus sign',
      'user_humans_phone',
      human('a', 'ann', ', phone', `, '41791234567'`),
    ],
    ['a birthdate that is none', 'user_humans_birthdate', human('a', 'ann', ', birthdate', `, '1.2.1990'`)],

    ['an IAM_ role in an organization', 'memberships_scope', membership('a', 'ann', 'IAM_OWNER', 'a')],
    ['an ORG_ role without an organization', 'memberships_scope', membership('a', 'ann', 'ORG_OWNER', null)],
    ['an unknown role', 'memberships_role', membership('a', 'ann', 'ORG_KING', 'a')],
    [
      'an ORG_ role held twice',
      'memberships_once',
      ...Array<string>(2).fill(membership('a', 'ann', 'ORG_OWNER', 'b')),
    ],
    [
      'an IAM_ role held twice',
      'memberships_once',
      ...Array<string>(2).fill(membership('a', 'ann', 'IAM_OWNER', null)),
    ],

    ['a client id twice', 'applications_client_id', application({ client_id: `'client'` })],
    ['a public client with a secret', 'applications_secret', application({ client_secret_hash: `'\\x01'` })],
    [
      'a confidential client without one',
      'applications_secret',
      application({ auth_method: `'client_secret_basic'` }),
    ],
    ['an unknown grant type', 'applications_grant_types', application({ grant_types: `'{password}'` })],
    ['an unknown response type', 'applications_response_types', application({ response_types: `'{token}'` })],
    ['a clock skew of six seconds', 'applications_clock_skew', application({ clock_skew_seconds: '6' })],

    [
      'a second live code of one purpose',
      'verification_codes_one_live',
      verificationCode('c'),
      verificationCode('d'),
    ],
    ['a sixth attempt at a code', 'verification_codes_attempts', verificationCode('c', 6)],

    ['a second live session of a user on one agent', 'sessions_one_live_per_user', session('s2', 'a', 'ann')],
    ['a session that ended for no reason', 'sessions_end', `UPDATE sessions SET ended_at = now()`],
    ['a grant revoked for no reason', 'authorizations_end', `UPDATE authorizations SET revoked_at = now()`],
    ['a request for no application', 'auth_requests_complete', authRequest('application', 'NULL')],
    [
      'a second unused refresh token of a family',
      'refresh_tokens_one_unused',
      refreshToken('01'),
      refreshToken('02'),
    ],
    [
      'a used refresh token without a successor',
      'refresh_tokens_successor',
      refreshToken('01'),
      useRefreshToken('01', 'NULL'),
    ],
    [
      'a code without a grant',
      'codes_authorization',
      `INSERT INTO codes (hash, authorization_id, redirect_uri, expires_at) VALUES ('\\x01', 'none', 'https://x.test', now())`,
    ],

    [
      'two current signing keys of an algorithm',
      'signing_keys_one_current',
      signingKey('k', 'RS256', 'current'),
      signingKey('l', 'RS256', 'current'),
    ],
    [
      'two next signing keys of an algorithm',
      'signing_keys_one_next',
      signingKey('k', 'ES256', 'next'),
      signingKey('l', 'ES256', 'next'),
    ],
    ['a signing algorithm that is not offered', 'signing_keys_algorithm', signingKey('k', 'HS256', 'next')],
    [
      'a current signing key that cannot sign',
      'signing_keys_private',
      signingKey('k', 'RS256', 'current', 'NULL, NULL'),
    ],
    [
      'a sealed key that nothing opens',
      'signing_keys_sealed',
      signingKey('k', 'RS256', 'next', `'\\x01', NULL`),
    ],
    ['two current token keys', 'token_keys_one_current', tokenKey('current'), tokenKey('current')],
    [
      'two current data keys',
      'data_keys_one_current',
      `INSERT INTO data_keys (wrapped, master_key_id) VALUES ('', 'm')`,
    ],
    [
      'dropping a data key that still opens something',
      'token_keys_data_key',
      tokenKey('current'),
      `DELETE FROM data_keys`,
    ],

    [
      'content of a notification that was sent',
      'notifications_content',
      notification('sent', 'now()', `'\\x01'`),
    ],
    [
      'content of a notification given up',
      'notifications_content',
      notification('abandoned', 'now()', `'\\x01'`),
    ],
    ['a notification sent at no time', 'notifications_finished', notification('sent', 'NULL', 'NULL')],
    [
      'a notification that ended while pending',
      'notifications_finished',
      notification('pending', 'now()', 'NULL'),
    ],
    ['more attempts forgiven than made', 'password_attempts_count', passwordAttempts('a', 'ann', 1, 2)],
    ['more wrong passwords than attempts', 'password_attempts_count', passwordAttempts('a', 'ann', 3, 2, 2)],
    [
      'attempts at a password under another organization',
      'password_attempts_user',
      passwordAttempts('b', 'ann', 1, 0),
    ],
    [
      'one code mailed twice',
      'notifications_once',
      ...Array<string>(2).fill(notification('pending', 'NULL', 'NULL')),
    ],
    [
      'a job for a queue that does not exist',
      'outbox_queue',
      `INSERT INTO outbox (queue, job_name, payload) VALUES ('none', 'x', '{}')`,
    ],
  ];

  it.each(cases)('%s', async (_rule, constraint, ...statements) => {
    expect(await violatedBy(...statements)).toBe(constraint);
  });
});

describe('accepted', () => {
  const cases: readonly (readonly [rule: string, ...statements: string[]])[] = [
    ['a user id of 200 printable characters', user('!'.repeat(100) + '~'.repeat(100), 'a')],
    [
      'a domain claimed by two, verified by one',
      domain('a', 'x.test', true, true),
      domain('b', 'x.test', false, false),
    ],
    ['one name in two organizations', identifier('a', 'ann', 'x@x.test'), identifier('b', 'bob', 'x@x.test')],
    ['a role in a foreign organization', membership('a', 'ann', 'ORG_OWNER', 'b')],
    [
      'a new code once the old one ended',
      verificationCode('c'),
      `UPDATE verification_codes SET ended_at = now()`,
      verificationCode('d'),
    ],
    ['a new session once the old one ended', endSession('s'), session('s2', 'a', 'ann')],
    ['two users on one agent', session('s2', 'b', 'bob')],
    [
      'a successor of a used refresh token',
      refreshToken('01'),
      useRefreshToken('01', `'\\x02'`),
      refreshToken('02'),
    ],
    [
      'a current signing key of each algorithm',
      signingKey('k', 'RS256', 'current'),
      signingKey('l', 'ES256', 'current'),
      signingKey('m', 'EdDSA', 'current'),
      signingKey('n', 'PS256', 'current'),
    ],
    [
      'a current and a next signing key',
      signingKey('k', 'RS256', 'current'),
      signingKey('l', 'RS256', 'next'),
    ],
    ['a gone signing key without its private half', signingKey('k', 'RS256', 'gone', 'NULL, NULL')],
    ['a notification sent, its content gone', notification('sent', 'now()', 'NULL')],
    ['a request towards the queues', authRequest('queues', 'NULL')],
    [
      'dropping a user with all that hangs from them',
      passwordAttempts('a', 'ann', 1, 1),
      `DELETE FROM users WHERE id = 'ann'`,
    ],
  ];

  it.each(cases)('%s', async (_rule, ...statements) => {
    expect(await violatedBy(...statements)).toBeUndefined();
  });
});
