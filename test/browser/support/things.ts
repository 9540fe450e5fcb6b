// SQL by hand: a session's device, a passkey, a message that was given up and a block of numbers, without what they come from
import { runAsAdmin } from '../../support/databases.js';
import { eventually } from '../../workers/support/eventually.js';
import { PASSWORD } from './console.js';
import type { Stage } from './stage.js';

/** Base32, as an authenticator app keeps it. */
const SEED = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** Ids of one of everything that the console has a page for. */
export interface Things {
  readonly user: string;
  readonly loginName: string;
  readonly machine: string;
  readonly project: string;
  readonly app: string;
  readonly api: string;
  readonly import: string;
  readonly message: string;
  readonly webhook: string;
  readonly instanceWebhook: string;
  readonly provider: string;
  readonly idp: string;
  readonly instanceIdp: string;
  /** Another organization, to which the project is granted. */
  readonly other: string;
}

/** What each text is: of a person's name, of a file, and so on. */
export type TextOf = (what: string) => string;

interface Made {
  readonly id: string;
}

/** Of webhooks that are told of nothing that happens here. */
const NOWHERE = { url: 'https://hooks.example.com/', eventTypes: ['project.grant.removed'] };

/** Makes one of everything in the organization of bootstrap, all its texts being those of `text`. */
export async function oneOfEach(stage: Stage, text: TextOf): Promise<Things> {
  const post = async <Answer = Made>(path: string, body: object): Promise<Answer> =>
    await stage.asRoot<Answer>('POST', path, body);
  const manage = async <Answer = Made>(path: string, body: object): Promise<Answer> =>
    await post<Answer>(`management/v1/${path}`, body);

  const { id: other } = await post('admin/v1/orgs', { name: text('organization') });
  const { id: project } = await manage('projects', { name: text('project') });
  // what a scope may be made of
  const roleKey = text('role key').replaceAll(' ', '/');
  await manage(`projects/${project}/roles`, { roleKey, displayName: text('role'), group: text('group') });
  await manage(`projects/${project}/grants`, { grantedOrgId: other, roleKeys: [roleKey] });
  const { appId: app } = await manage<{ readonly appId: string }>(`projects/${project}/apps/oidc`, {
    name: text('application'),
    redirectUris: ['https://lamp.example/callback'],
  });
  const { appId: api } = await manage<{ readonly appId: string }>(`projects/${project}/apps/api`, {
    name: text('interface'),
    authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
  });
  await manage(`projects/${project}/apps/${api}/keys`, { type: 'KEY_TYPE_JSON' });

  const { userId: user, loginName } = await stage.importHuman(
    {
      password: PASSWORD,
      otpCode: SEED,
      profile: {
        firstName: text('first name'),
        lastName: text('last name'),
        displayName: text('person'),
        nickName: text('nickname'),
      },
    },
    // what a lower rank made ends when its user rises
    stage.credentials.adminServiceUser,
  );
  await manage(`users/${user}/grants`, { projectId: project, roleKeys: [roleKey] });
  await stage.asRoot(
    'PUT',
    `management/v1/users/${user}/metadata/${encodeURIComponent(text('metadata key'))}`,
    { value: Buffer.from(text('metadata value')).toString('base64') },
  );
  const idp = { kind: 'google', clientId: 'abc', clientSecret: 'Marker-secret' };
  const { id: ownIdp } = await manage('idps', { ...idp, name: text('identities') });
  await manage(`idps/${ownIdp}/_activate`, {});
  // before they have a role of the instance, over which no provider of an organization has a say
  await manage(`users/${user}/idps`, { idpId: ownIdp, externalUserId: 'ada-at-google' });
  await manage('orgs/me/members', { userId: user, roles: ['ORG_OWNER_VIEWER'] });
  await post('admin/v1/members', { userId: user, roles: ['IAM_OWNER_VIEWER'] });
  const { userId: machine } = await manage<{ readonly userId: string }>('users/machine', {
    userName: 'robot',
    name: text('service user'),
    description: text('description'),
  });
  await manage(`users/${machine}/keys`, { type: 'KEY_TYPE_JSON' });
  await manage(`users/${machine}/pats`, {});
  await manage('orgs/me/scim_tokens', { name: text('directory') });
  await manage('orgs/me/initial_access_tokens', { name: text('previews'), projectId: project });
  // an owner of the instance vouches for one, nobody for the other
  await manage('orgs/me/domains', { domain: 'second.example' });
  await asOwner(stage, 'orgs/me/domains', { domain: 'unproven.example' });

  const { id: webhook } = await manage('webhooks', { ...NOWHERE, name: text('webhook') });
  const { id: instanceWebhook } = await post('admin/v1/webhooks', {
    ...NOWHERE,
    name: text('webhook of all'),
  });
  const { id: instanceIdp } = await post('admin/v1/idps', { ...idp, name: text('identities of all') });
  // switched off: it carries nothing
  const { id: provider } = await post('admin/v1/notification_providers', {
    kind: 'smtp',
    name: text('relay'),
    host: 'smtp.quay.example',
    from: 'quay@quay.example',
  });
  return {
    user,
    loginName,
    machine,
    project,
    app,
    api,
    import: await importedBy(stage, text),
    message: await withoutOrigin(stage, user, text),
    webhook,
    instanceWebhook,
    provider,
    idp: ownIdp,
    instanceIdp,
    other,
  };
}

/** A call of an owner of the organization alone. */
async function asOwner(stage: Stage, path: string, body: object): Promise<void> {
  const response = await fetch(`${stage.issuer}/management/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stage.credentials.serviceUser.pat}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
}

/** An import of an owner of the organization that is done, with records that failed and a mail that is held back. @returns its id */
async function importedBy(stage: Stage, text: TextOf): Promise<string> {
  const records = [
    {
      userName: 'crew-1',
      profile: { firstName: 'Crew', lastName: 'One' },
      email: { email: 'crew-1@post.example' },
    },
    // its outcome says what is not known, but for blanks
    {
      userName: 'crew-2',
      profile: { firstName: 'Crew', lastName: 'Two' },
      email: { email: 'crew-2@post.example' },
      [text('field').replaceAll(' ', '/')]: 'unknown',
    },
    { userName: 'crew-3' },
  ];
  const query = new URLSearchParams({
    format: 'ndjson',
    fileName: `${text('file')}.ndjson`,
    notify: 'deferred',
  });
  const headers = { authorization: `Bearer ${stage.credentials.serviceUser.pat}` };
  const response = await fetch(`${stage.issuer}/management/v1/imports?${query.toString()}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  });
  if (!response.ok) throw new Error(`the import answered ${response.status}: ${await response.text()}`);
  const { id } = (await response.json()) as Made;
  return await eventually('the end of the import', 60_000, async () => {
    const { state } = await stage.asRoot<{ readonly state: string }>('GET', `management/v1/imports/${id}`);
    return state === 'done' && id;
  });
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** @returns the id of a message that was given up */
async function withoutOrigin(stage: Stage, user: string, text: TextOf): Promise<string> {
  const of = `FROM users u JOIN organizations o ON o.id = u.org_id WHERE u.id = ${quoted(user)}`;
  await runAsAdmin(
    stage.database.url,
    `INSERT INTO notifications (id, org_id, user_id, channel, template, state, dead_letter, finished_at)
     SELECT 'given-up', u.org_id, u.id, 'email', 'reset_password', 'abandoned', true, now() ${of}`,
    `INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name)
     SELECT u.org_id, u.id, '\\x01', '\\x00', '\\x00', ${quoted(text('passkey'))} ${of}`,
    `INSERT INTO user_agents (id, secret_hash) VALUES ('agent-of-things', '\\x01')`,
    `INSERT INTO sessions (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch, device)
     SELECT 'session-of-things', u.org_id, u.id, 'agent-of-things', now(), '{pwd}', u.token_epoch + o.token_epoch,
       ${quoted(text('browser'))} ${of}`,
    `INSERT INTO sms_blocks (prefix, reason, blocked_until) VALUES ('+9999', 'low_conversion', now() + interval '1 day')`,
  );
  return 'given-up';
}
