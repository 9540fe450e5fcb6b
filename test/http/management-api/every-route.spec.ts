import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allows, ROLES, type Role } from '../../../src/domain/permissions/permissions.js';
import { startTestApi, type TestApi } from '../../support/api.js';
import { World } from '../../support/world.js';
import { addServiceUser, call, errorBody, type ServiceUser } from './callers.js';
import { anonymous, fastifyRoutes, privilegedRoutes, type ServedRoute } from './served-routes.js';

/**
 * Every route × every role × own and other organization (security.md §3: missing authorization is the class that
 * advisories report most). The routes are read from the running program, so a new one is held to it unasked: it must
 * name a permission, refuse every role without it, and find nothing of another organization.
 */
const FORBIDDEN = errorBody(7, 'No matching permissions found', 'AUTH-5mWD2');
const CALLERS: readonly (Role | undefined)[] = [undefined, ...ROLES];

/** Ids that one organization owns, by the name of the placeholder or field that takes them. */
type Belongings = Readonly<Record<string, string>>;

/** What nobody has. It stands in for ids of kinds that this test does not know how to make. */
const NOBODYS = 'nobodys';

/** Placeholders that whoever calls fills with a word of their own: nothing that somebody could own. */
const OWN_WORDS = new Set(['key']);

/** What a required field may say, where it is not an id. */
const FIELDS: Readonly<Record<string, unknown>> = {
  name: 'Name',
  displayName: 'Name',
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
};

let api: TestApi;
let routes: readonly ServedRoute[];
let home: World;
let other: World;
let own: Belongings;
let foreign: Belongings;
const callers = new Map<Role | undefined, ServiceUser>();

beforeAll(async () => {
  api = await startTestApi();
  routes = privilegedRoutes(api);
  home = await World.create(api);
  other = await World.create(api);
  const root = await addServiceUser(api, home, 'IAM_OWNER');
  own = await belongings(home, root, 'own-role');
  foreign = await belongings(other, root, 'foreign-role');
  for (const role of CALLERS) callers.set(role, await addServiceUser(api, home, role));
});

afterAll(async () => {
  await api.close();
});

async function belongings(world: World, root: ServiceUser, roleKey: string): Promise<Belongings> {
  const headers = { 'x-zitadel-orgid': world.orgId };
  const send = async (path: string, body: unknown) =>
    (await call(api, 'POST', path, { pat: root.pat, body, headers })).json<{ userGrantId: string }>();
  const { userId } = await world.addUser();
  const { projectId, domain } = world;
  await send(`projects/${projectId}/roles`, { roleKey, displayName: 'Role' });
  const { userGrantId } = await send(`users/${userId}/grants`, { projectId, roleKeys: [roleKey] });
  const { id: appId } = await world.addClient();
  const { userId: serviceUserId } = await addServiceUser(api, world);
  return { userId, serviceUserId, projectId, appId, roleKey, domain, grantId: userGrantId };
}

function placeholders(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}

/** `users/:id` takes a user's id, whatever the placeholder is called. */
/** What only service users have. */
const OF_SERVICE_USERS = /^\/management\/v1\/users\/:\w+\/(keys|pats|secret)(\/|$)/;

function idFor(path: string, name: string, from: Belongings): string {
  if (name === 'id' && OF_SERVICE_USERS.test(path)) return from['serviceUserId'] ?? NOBODYS;
  const kind =
    path
      .slice(0, path.indexOf(`:${name}`))
      .split('/')
      .at(-2) ?? '';
  return from[name] ?? (name === 'id' ? from[`${kind.replace(/s$/, '')}Id`] : undefined) ?? NOBODYS;
}

function fill(path: string, from: (name: string) => Belongings): string {
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

/** Contract §1.4 tells some fields in words of its own. */
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
  return /^"?([\w.]+)"? (?:is required|must )/.exec(message)?.[1]?.split('.') ?? [];
}

/** Fills required fields in until the body is good; ids are another organization's, so that it is good and wrong. */
async function answerToForeign(route: ServedRoute, path: string, role: Role) {
  let body: Fields | undefined = route.method === 'GET' ? undefined : {};
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(route, path, role, home, body);
    const { message = '' } = response.json<{ message?: string }>();
    const missing = missingField(message);
    const leaf = missing.at(-1);
    if (response.statusCode !== 400 || leaf === undefined || body === undefined || attempt === 20)
      return response;
    const value = foreign[leaf] ?? FIELDS[leaf];
    if (value === undefined)
      throw new Error(`${named(route)}: no sample for the field "${missing.join('.')}"`);
    body = put(body, missing, value);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function put(body: Fields, [first = '', ...rest]: readonly string[], value: unknown): Fields {
  const inner = body[first];
  const within = typeof inner === 'object' && inner !== null ? (inner as Fields) : {};
  return { ...body, [first]: rest.length === 0 ? value : put(within, rest, value) };
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

  it('refuse every role that the table does not allow, in the own organization and in another', async () => {
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

  it('find nothing of another organization, by any identifier in path or body', async () => {
    const before = await traces();
    for (const route of routes.filter(({ path }) => path.startsWith('/management/'))) {
      const names = placeholders(route.path).filter((name) => !OWN_WORDS.has(name));
      for (const wrong of names) {
        const path = fill(route.path, (name) => (name === wrong ? foreign : own));
        for (const role of (['ORG_OWNER', 'IAM_OWNER'] as const).filter((one) => mayCall(one, route, home))) {
          const response = await answerToForeign(route, path, role);
          expect([named(route), wrong, response.statusCode, response.body]).toEqual([
            named(route),
            wrong,
            404,
            expect.stringContaining('"code":5') as string,
          ]);
        }
      }
    }
    for (const [path, field] of [
      [`users/${own['userId'] ?? ''}/grants`, 'projectId'],
      ['orgs/me/members', 'userId'],
    ] as const) {
      const body = { [field]: foreign[field], ...(field === 'userId' && { roles: ['ORG_OWNER'] }) };
      const response = await call(api, 'POST', path, { pat: callers.get('IAM_OWNER')?.pat, body });
      expect([path, response.statusCode]).toEqual([path, 404]);
    }
    expect(await traces()).toEqual(before);
  });
});
