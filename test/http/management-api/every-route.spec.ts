import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { allows, ROLES, type Role } from '../../../src/domain/permissions/permissions.js';
import type { OpenApiDocument, Operation } from '../../../src/http/openapi/document.js';
import type { JsonSchema } from '../../../src/http/shared/schemas/json-schema.js';
import { useApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { codeRequest, TestBrowser } from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, type World } from '../../support/world.js';
import { anonymous, fastifyRoutes, privilegedRoutes, type ServedRoute } from './served-routes.js';

/**
 * Every route × every role × own and other organization (missing authorization is the class that
 * advisories report most). The routes are read from the running program, so a new one is held to it unasked: it must
 * name a permission, refuse every role without it, and find nothing of another organization.
 */
const FORBIDDEN = errorBody(7, 'No matching permissions found', 'AUTH-5mWD2');
const CALLERS: readonly (Role | undefined)[] = [undefined, ...ROLES];

/** Ids that one organization owns, by the name of the placeholder or field that takes them. */
type UserCredentials = Readonly<Record<string, string>>;

/** What nobody has. */
const NOBODYS = 'nobodys';

/** Placeholders that whoever calls fills with a word of their own: nothing that somebody could own. */
const OWN_WORDS = new Set(['key', 'kind', 'type', 'language']);

/** What a required field may say, where it is not an id. */
const FIELDS: Readonly<Record<string, unknown>> = {
  action: 'lock',
  name: 'Name',
  displayName: 'Name',
  clientId: 'client',
  externalUserId: 'somebody',
  userName: 'name',
  firstName: 'Name',
  lastName: 'Name',
  nickName: 'Name',
  roleKey: 'new-role',
  roles: ['ORG_OWNER_VIEWER'],
  domain: 'example.com',
  email: 'name@example.com',
  phone: '+41791234567',
  value: 'dmFsdWU=',
  password: 'Marker-Passw0rd!',
  newPassword: 'Marker-Passw0rd!',
  type: 'KEY_TYPE_JSON',
  kind: 'smtp',
  clientSecret: 'a secret',
  to: 'name@example.com',
  grantedOrgId: 'some-organization',
  url: 'https://hooks.example.com',
  eventTypes: ['user.*'],
  from: '2026-01-31T12:00:00Z',
};

let routes: readonly ServedRoute[];
let own: UserCredentials;
let foreign: UserCredentials;
const callers = new Map<Role | undefined, ServiceUser>();

const api = useApi();
beforeAll(async () => {
  routes = await privilegedRoutes(api);
});
const home = given(() => anOrganization(api));
const other = given(() => anOrganization(api));
const root = given(() => aServiceUser(home, 'IAM_OWNER'));
beforeAll(async () => {
  own = await belongings(home, root, 'own-role');
  foreign = await belongings(other, root, 'foreign-role');
  for (const role of CALLERS) callers.set(role, await aServiceUser(home, role));
});

async function belongings(world: World, root: ServiceUser, roleKey: string): Promise<UserCredentials> {
  const headers = { 'x-zitadel-orgid': world.orgId };
  const send = async (path: string, body: unknown, type: object = {}) =>
    (await root.call('POST', path, body, { headers: { ...headers, ...type } })).json<{
      userGrantId: string;
      keyId: string;
      tokenId: string;
      id: string;
    }>();
  const user = await aUser(world);
  const { userId } = user;
  const { projectId, domain } = world;
  await send(`projects/${projectId}/roles`, { roleKey, displayName: 'Role' });
  const { userGrantId } = await send(`users/${userId}/grants`, { projectId, roleKeys: [roleKey] });
  await new TestBrowser(api).signIn(codeRequest(await anApplication(world)), user);
  const { rows } = await api.sql.query<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [
    userId,
  ]);
  const session = rows[0]?.id;
  const { id: appId } = await anApplication(world, { authMethod: 'private_key_jwt' });
  const { userId: serviceUserId } = await aServiceUser(world);
  const key = { type: 'KEY_TYPE_JSON' };
  const { keyId } = await send(`users/${serviceUserId}/keys`, key);
  const { tokenId } = await send(`users/${serviceUserId}/pats`, {});
  const { tokenId: scimTokenId } = await send('orgs/me/scim_tokens', { name: 'Directory' });
  const { tokenId: initialAccessTokenId } = await send('orgs/me/initial_access_tokens', {
    name: 'Previews',
    projectId,
  });
  const { id: appKeyId } = await send(`projects/${projectId}/apps/${appId}/keys`, key);
  const { id: importId } = await send('imports', `${JSON.stringify(record())}\n`, {
    'content-type': 'application/x-ndjson',
  });
  const { id: idpId } = await send('idps', {
    kind: 'google',
    name: 'Google',
    clientId: 'client',
    clientSecret: 'a secret',
  });
  const { id: webhookId } = await send('webhooks', {
    name: 'Hook',
    url: 'https://hooks.example.com',
    eventTypes: ['user.*'],
  });
  await root.call('PUT', 'claims_webhook', { url: 'https://hooks.example.com' }, { headers });
  const { id: identityId } = await send(`users/${userId}/idps`, { idpId, externalUserId: roleKey });
  const { id: bulkActionId } = await send('users/_bulk', { action: 'lock', userIds: [userId] });
  const notificationId = `note-of-${roleKey}`;
  await api.sql.query(
    `INSERT INTO notifications (id, org_id, user_id, channel, template, state, dead_letter, finished_at)
     VALUES ($1, $2, $3, 'email', 'password_changed', 'abandoned', true, now())`,
    [notificationId, world.orgId, userId],
  );
  const passkeyId = `passkey-of-${roleKey}`;
  await api.sql.query(
    `INSERT INTO passkeys (id, org_id, user_id, credential_id, public_key, user_handle, name)
     VALUES ($1, $2, $3, convert_to($1, 'UTF8'), '\\x00', '\\x00', 'Key')`,
    [passkeyId, world.orgId, userId],
  );
  const made = {
    notificationId,
    passkeyId,
    userId,
    serviceUserId,
    projectId,
    appId,
    roleKey,
    domain,
    session,
    tokenId,
    scimTokenId,
    initialAccessTokenId,
    keyId,
    appKeyId,
    importId,
    bulkActionId,
    idpId,
    webhookId,
    identityId,
  };
  const owned = Object.entries({ ...made, grantId: userGrantId });
  return Object.fromEntries(
    owned.map(([name, id]) => {
      if (id === undefined) throw new Error(`no ${name} was made`);
      return [name, id];
    }),
  );
}

function placeholders(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}

/** What only service users have. */
const OF_SERVICE_USERS = /^\/management\/v1\/users\/:\w+\/(keys|pats|secret)(\/|$)/;

/** `users/:id` takes a user's id, whatever the placeholder is called. */
function idFor(path: string, name: string, from: UserCredentials): string {
  if (name === 'keyId' && path.includes('/apps/')) return from['appKeyId'] ?? NOBODYS;
  if (name === 'id' && OF_SERVICE_USERS.test(path)) return from['serviceUserId'] ?? NOBODYS;
  const kind =
    path
      .slice(0, path.indexOf(`:${name}`))
      .split('/')
      .at(-2) ?? '';
  return from[name] ?? (name === 'id' ? from[`${kind.replace(/s$/, '')}Id`] : undefined) ?? NOBODYS;
}

function fill(path: string, from: (name: string) => UserCredentials): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(idFor(path, name, from(name))));
}

async function send(
  { method }: ServedRoute,
  path: string,
  role: Role | undefined,
  world: World,
  body?: unknown,
) {
  const headers = { 'x-zitadel-orgid': world.orgId };
  return await call(api, method, path, { pat: callers.get(role)?.pat, body, headers });
}

/** Everything that a call which is refused must leave as it was. */
async function traces(): Promise<unknown> {
  const { rows } = await api.sql.query(
    'SELECT count(*), max(position) AS newest, (SELECT count(*) FROM idempotency_keys) AS keys FROM events',
  );
  return rows;
}

function named(route: ServedRoute): string {
  return `${route.method} ${route.path}`;
}

function mayCall(role: Role | undefined, { permission }: ServedRoute, world: World): boolean {
  if (role === undefined || permission === undefined) return false;
  return allows([role], permission) && (world === home || role.startsWith('IAM_'));
}

/** Protocol §1.4 tells some fields in words of its own. */
const TOLD_IN_WORDS: Readonly<Record<string, string>> = {
  'Email is empty': 'email',
  'invalid ImportHumanUserRequest.Phone': 'phone',
  'invalid ImportHumanUserRequest.UserName': 'userName',
  'invalid ImportHumanUserRequest.Profile: embedded message failed validation | caused by: invalid ImportHumanUserRequest_Profile.FirstName':
    'firstName',
  'invalid ImportHumanUserRequest.Profile: embedded message failed validation | caused by: invalid ImportHumanUserRequest_Profile.LastName':
    'lastName',
};

function missingField(message: string): readonly string[] {
  const words = Object.keys(TOLD_IN_WORDS).find((text) => message.startsWith(text));
  if (words !== undefined) return [TOLD_IN_WORDS[words] ?? ''];
  return /^"?([\w.]+)"? (?:is required|must |value length must )/.exec(message)?.[1]?.split('.') ?? [];
}

/** Fills required fields in until the body is good; ids are those of `from`. */
async function answerWith(
  route: ServedRoute,
  path: string,
  role: Role,
  from: UserCredentials,
  begun: Fields = {},
): Promise<LightMyRequestResponse> {
  let body: Fields | undefined = route.method === 'GET' ? undefined : begun;
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(route, path, role, home, body);
    const { message = '' } = response.json<{ message?: string }>();
    const missing = missingField(message);
    const leaf = missing.at(-1);
    if (response.statusCode !== 400 || leaf === undefined || body === undefined || attempt === 20)
      return response;
    const value = from[leaf] ?? (leaf === 'kind' && route.path.includes('/idps') ? 'google' : FIELDS[leaf]);
    if (value === undefined)
      throw new Error(`${named(route)}: no sample for the field "${missing.join('.')}"`);
    body = put(body, missing, value);
  }
}

/** What a call names for the first time, so that nothing of that name could be another's, or only narrows by. */
const CHOSEN = new Set([
  'POST /management/v1/projects/:projectId/roles roleKey',
  // a condition, under which nothing is dead
  'POST /management/v1/notifications/_replay userId',
  'POST /management/v1/users/machine userId',
  // whose they are is for workers to see: workers/bulk-actions.spec.ts
  'POST /management/v1/users/_bulk userIds',
  // conditions of a search that finds nothing: S224 in events/search.spec.ts
  'POST /management/v1/events/_search editorUserId',
  'POST /management/v1/events/_search aggregateId',
  // another organization is what it is about, and the project of `home` is the service's own, which is granted to nobody;
  // see oidc/project-grants.spec.ts
  'POST /management/v1/projects/:projectId/grants grantedOrgId',
  'POST /management/v1/projects/:projectId/grants roleKeys',
  'PUT /management/v1/projects/:projectId/grants/:grantId roleKeys',
  'POST /management/v1/users/:userId/grants projectGrantId',
  // of the webhook that the path names: http/webhooks/delivery.spec.ts
  'POST /management/v1/webhooks/:id/dead_letters/_replay ids',
  // what a provider calls somebody
  'POST /management/v1/users/:id/idps externalUserId',
  'POST /management/v1/users/human/_import idps.externalUserId',
  'POST /management/v1/users/human idps.externalUserId',
  // beside a whole user: http/identity-providers/imported-identities.spec.ts
  'POST /management/v1/users/human/_import idps.configId',
  'POST /management/v1/users/human idps.configId',
  // what the provider knows us by
  'POST /management/v1/idps clientId',
  'PUT /management/v1/idps/:id clientId',
  // conditions for a role, and whose keys they are: http/identity-providers/management.spec.ts
  'POST /management/v1/idps entityId',
  'PUT /management/v1/idps/:id entityId',
  'POST /management/v1/idps keyId',
  'POST /management/v1/idps teamId',
  'PUT /management/v1/idps/:id keyId',
  'PUT /management/v1/idps/:id teamId',
  'POST /management/v1/idps mapping.roles.projectId',
  'POST /management/v1/idps mapping.roles.roleKey',
  'PUT /management/v1/idps/:id mapping.roles.projectId',
  'PUT /management/v1/idps/:id mapping.roles.roleKey',
  // a provider of the instance, which is no organization's: http/identity-providers/shared-home-realm.spec.ts
  'PUT /management/v1/policies/login homeRealmIdpId',
]);

interface Naming {
  readonly route: ServedRoute;
  readonly field: Identifier;
}

function nameOf({ route, field }: Naming): string {
  return `${named(route)} ${field.path.filter((step) => step !== '[]').join('.')}`;
}

function lastName(path: readonly string[]): string {
  return path.findLast((step) => step !== '[]') ?? '';
}

/** A call in the own organization, good but for one field of its body or query, which names what is of `from`. */
async function namingIn({ route, field }: Naming, from: UserCredentials): Promise<LightMyRequestResponse> {
  const name = lastName(field.path);
  const value = from[name] ?? from[name.replace(/s$/, '')];
  if (value === undefined) throw new Error(`${nameOf({ route, field })}: nothing owned of that name`);
  // where nothing below them is named, somebody who has nothing yet: it could be given twice to nobody else
  const user = await aUser(home);
  const mine = route.path.includes(':grantId') ? own : { ...own, userId: user.userId };
  const path = fill(route.path, () => mine);
  if (field.in === 'query') return await answerWith(route, `${path}?${name}=${value}`, 'IAM_OWNER', mine);
  return await answerWith(route, path, 'IAM_OWNER', mine, put({}, field.path, value));
}

/** A search that finds nothing is as good as a refusal. */
function isFound(statusCode: number, body: string): boolean {
  if (statusCode !== 200) return ![400, 403, 404].includes(statusCode);
  const answer = JSON.parse(body) as {
    details?: object;
    result?: readonly unknown[];
    replayed?: readonly unknown[];
  };
  const { details, result = [], replayed } = answer;
  // a call about many says of each what became of it
  if (replayed !== undefined) return replayed.length > 0;
  return !(details !== undefined && 'viewTimestamp' in details) || result.length > 0;
}

type Fields = Readonly<Record<string, unknown>>;

function put(body: Fields, [first = '', ...rest]: readonly string[], value: unknown): Fields {
  if (first === '') return body;
  const inner = body[first];
  // a list of one member
  if (rest[0] === '[]')
    return { ...body, [first]: [rest.length === 1 ? value : put({}, rest.slice(1), value)] };
  const within = typeof inner === 'object' && inner !== null ? (inner as Fields) : {};
  return { ...body, [first]: rest.length === 0 ? value : put(within, rest, value) };
}

/** A field that takes what somebody owns: an id, or a role's key. */
interface Identifier {
  readonly in: 'body' | 'query';
  /** `[]` for any member of a list. */
  readonly path: readonly string[];
}

const IDENTIFIES = /^id$|(?:Id|_id|Ids|_ids)$|^role_?keys?$/i;

function operationOf(document: OpenApiDocument, { method, path }: ServedRoute): Operation {
  const operation = document.paths[path.replaceAll(/:([^/]+)/g, '{$1}')]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${path} is not documented`);
  return operation;
}

function identifiersOf({ parameters = [], requestBody }: Operation): readonly Identifier[] {
  const inQuery = (parameters as readonly { in?: string; name?: string }[])
    .filter((parameter) => parameter.in === 'query' && IDENTIFIES.test(parameter.name ?? ''))
    .map(({ name = '' }) => ({ in: 'query' as const, path: [name] }));
  const body = requestBody?.content['application/json']?.schema;
  return [...inQuery, ...within(body ?? {}).map((path) => ({ in: 'body' as const, path }))];
}

/** Where a schema takes identifiers, however deep. */
function within(schema: JsonSchema, path: readonly string[] = []): readonly (readonly string[])[] {
  if (schema['$ref'] !== undefined) throw new Error(`a reference at ${path.join('.')}: follow it`);
  const variants = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap(
    (of) => (of ?? []) as JsonSchema[],
  );
  const here = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    within(property, [...path, name]),
  );
  const members = schema.items === undefined ? [] : within(schema.items, [...path, '[]']);
  const name = path.findLast((step) => step !== '[]') ?? '';
  const leaf = schema.properties === undefined && schema.items === undefined && variants.length === 0;
  const own = leaf && IDENTIFIES.test(name) ? [path] : [];
  return [...own, ...here, ...members, ...variants.flatMap((variant) => within(variant, path))];
}

describe('the routes of the management and admin API', () => {
  it('are all found, and each names its permission', () => {
    const found = routes.map((route) => anonymous(named(route)));
    expect(found.toSorted()).toEqual(fastifyRoutes(api).map(anonymous).toSorted());
    expect(routes.length).toBeGreaterThan(50);
    expect(routes.filter(({ permission }) => permission === undefined).map(named)).toEqual([]);
  });

  it('answer nobody without a token', async () => {
    for (const route of routes) {
      const response = await call(
        api,
        route.method,
        fill(route.path, () => own),
      );
      expect([named(route), response.statusCode]).toEqual([named(route), 401]);
    }
  });

  it('refuse every role that the table does not allow, in the own organization and in another (S142)', async () => {
    const before = await traces();
    for (const route of routes) {
      for (const world of [home, other]) {
        const path = fill(route.path, () => (world === home ? own : foreign));
        for (const role of CALLERS.filter((candidate) => !mayCall(candidate, route, world))) {
          const response = await send(route, path, role, world);
          expect([named(route), role, response.statusCode]).toEqual([named(route), role, 403]);
          expect(response.json()).toEqual(FORBIDDEN);
        }
      }
    }
    expect(await traces()).toEqual(before);
  });

  it('let every role in that the table allows', async () => {
    for (const route of routes) {
      for (const world of [home, other]) {
        for (const role of CALLERS.filter((candidate) => mayCall(candidate, route, world))) {
          // a body that no route takes and ids that nobody has: whoever is let in gets no further
          const body = route.method === 'GET' ? undefined : { 'no route has this': true };
          const response = await send(
            route,
            fill(route.path, () => ({})),
            role,
            world,
            body,
          );
          const readable = route.method === 'GET' && placeholders(route.path).length === 0;
          expect([named(route), role, response.statusCode]).toEqual([
            named(route),
            role,
            readable ? 200 : (expect.toBeOneOf([400, 404]) as number),
          ]);
        }
      }
    }
  });

  it('find nothing of another organization, by any identifier in the path', async () => {
    const before = await traces();
    for (const route of routes.filter(({ path }) => path.startsWith('/management/'))) {
      const names = placeholders(route.path).filter((name) => !OWN_WORDS.has(name));
      for (const wrong of names) {
        const path = fill(route.path, (name) => (name === wrong ? foreign : own));
        for (const role of (['ORG_OWNER', 'IAM_OWNER'] as const).filter((one) => mayCall(one, route, home))) {
          const response = await answerWith(route, path, role, foreign);
          expect([named(route), wrong, response.statusCode, response.body]).toEqual([
            named(route),
            wrong,
            404,
            expect.stringContaining('"code":5') as string,
          ]);
        }
      }
    }
    expect(await traces()).toEqual(before);
  });

  it('say of a user of another organization with roles what they say of nobody (S351)', async () => {
    const { userId = '', serviceUserId = '' } = foreign;
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, org_id, role)
       SELECT id, org_id, org_id, 'ORG_OWNER' FROM users WHERE id = ANY ($1)`,
      [[userId, serviceUserId]],
    );
    const before = await traces();
    const nobodys = { userId: NOBODYS, serviceUserId: NOBODYS };
    const ofUsers = routes.filter(
      (route) => /\/users\/:/.test(route.path) && mayCall('ORG_OWNER', route, home),
    );
    expect(ofUsers.map(named)).toContain('POST /management/v1/users/:id/_lock');
    for (const route of ofUsers) {
      const answers = [];
      for (const users of [{ userId, serviceUserId }, nobodys]) {
        const path = fill(route.path, () => ({ ...own, ...users }));
        const { statusCode, body } = await answerWith(route, path, 'ORG_OWNER', own);
        answers.push([named(route), statusCode, body]);
      }
      expect(answers[0]).toEqual(answers[1]);
    }
    expect(await traces()).toEqual(before);
    await api.sql.query('DELETE FROM memberships WHERE user_id = ANY ($1)', [[userId, serviceUserId]]);
  });

  it('find nothing of another organization, by any identifier in body or query (S143)', async () => {
    const document = (await api.app.inject('/openapi.json')).json<OpenApiDocument>();
    const fields = routes
      .filter(({ path }) => path.startsWith('/management/'))
      .flatMap((route) => identifiersOf(operationOf(document, route)).map((field) => ({ route, field })))
      .filter((naming) => !CHOSEN.has(nameOf(naming)));
    expect(fields.map(nameOf)).toContain('POST /management/v1/users/:userId/grants projectId');
    const before = await traces();
    for (const naming of fields) {
      const { statusCode, body } = await namingIn(naming, foreign);
      const found = isFound(statusCode, body);
      expect([nameOf(naming), statusCode, found, body]).toEqual([nameOf(naming), statusCode, false, body]);
    }
    expect(await traces()).toEqual(before);
    // the same calls with what is one's own: nothing else was wrong with them
    for (const naming of fields) {
      const { statusCode, body } = await namingIn(naming, own);
      const found = isFound(statusCode, body);
      expect([nameOf(naming), statusCode, found, body]).toEqual([nameOf(naming), statusCode, true, body]);
    }
  });

  it('refuse the owner of any organization what is the instance’s, whatever it names', async () => {
    const document = (await api.app.inject('/openapi.json')).json<OpenApiDocument>();
    const owners = [await aServiceUser(home, 'ORG_OWNER'), await aServiceUser(other, 'ORG_OWNER')];
    const before = await traces();
    const admin = routes.filter(({ path }) => path.startsWith('/admin/'));
    expect(admin.length).toBeGreaterThan(5);
    for (const route of admin) {
      const fields = identifiersOf(operationOf(document, route)).filter((field) => field.in === 'body');
      for (const owner of owners) {
        for (const world of [home, other]) {
          for (const from of [own, foreign]) {
            const named = fields.reduce<Fields>(
              (body, { path }) => put(body, path, from[lastName(path)] ?? NOBODYS),
              {},
            );
            const path = fill(route.path, () => from);
            const headers = { 'x-zitadel-orgid': world.orgId };
            const body = route.method === 'GET' ? undefined : named;
            const response = await call(api, route.method, path, { pat: owner.pat, body, headers });
            expect([path, response.statusCode]).toEqual([path, 403]);
            expect(response.json()).toEqual(FORBIDDEN);
          }
        }
      }
    }
    expect(await traces()).toEqual(before);
  });

  it('have no placeholder that this test has nothing to put in for', () => {
    const unknown = routes
      .filter(({ path }) => path.startsWith('/management/'))
      .flatMap(({ path }) => placeholders(path).map((name) => ({ path, name })))
      .filter(({ path, name }) => !OWN_WORDS.has(name) && idFor(path, name, own) === NOBODYS);
    expect(unknown.map(({ path, name }) => `${path} ${name}`)).toEqual([]);
  });
});
