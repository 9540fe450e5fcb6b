// SQL by hand: rows of one name and one time, which calls cannot make, and the plans of what reads them
import { beforeAll, describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

// Every list in each of its orders: a page after a cursor, ties by id, filters, and nothing of another organization.

const { api, world } = useWorld();
/** The first one has the service's own project. */
const home = given(() => anOrganization(api));
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(home, 'ORG_OWNER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const MANY = 23;
/** Some have, some do so far from now that a product of microseconds would be rounded, two at a time; the rest never does. */
const ENDS = `CASE WHEN n % 3 = 0 THEN timestamptz '2026-01-01' + (n / 6) * interval '1 second'
  WHEN n % 3 = 1 THEN timestamptz '9999-01-01 00:00:00.000001+00' - (n / 6) * interval '1 microsecond' ELSE '9999-12-31 23:59:59Z' END`;
/** Both cases, and names that several have where they need not be unique. */
const NAME = `CASE WHEN n % 2 = 0 THEN 'List ' ELSE 'lIST ' END || lpad((n % 7)::text, 2, '0')`;

beforeAll(async () => {
  for (const { orgId } of [home, other]) await fill(orgId);
  for (const [one, another] of [
    [home, other],
    [other, home],
  ] as const) {
    await api.sql.query(
      `INSERT INTO project_grants (id, org_id, project_id, granted_org_id, state, created_at)
       SELECT $1 || 'e' || right(id, 2), $1, id, $2, CASE WHEN right(id, 2)::int % 3 = 0 THEN 'inactive' ELSE 'active' END, created_at
       FROM projects WHERE org_id = $1 AND id LIKE $1 || 'p%'`,
      [one.orgId, another.orgId],
    );
  }
});

async function fill(orgId: World['orgId']): Promise<void> {
  const add = async (text: string) => await api.sql.query(text, [orgId, MANY]);
  // two of each are as old as each other, to the microsecond
  const time = `timestamptz '2026-01-01 00:00:00.000001+00' + (n / 2) * interval '1 microsecond'`;
  await add(`INSERT INTO projects (id, org_id, name, state, created_at)
    SELECT $1 || 'p' || lpad(n::text, 2, '0'), $1, ${NAME} || ' ' || n, CASE WHEN n % 3 = 0 THEN 'inactive' ELSE 'active' END, ${time}
    FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO applications (id, org_id, project_id, client_id, name, kind, auth_method, state, created_at)
    SELECT $1 || 'a' || lpad(n::text, 2, '0'), $1, $1 || 'p01', $1 || 'c' || n, ${NAME} || ' ' || n,
      CASE WHEN n % 5 = 0 THEN 'api' ELSE 'oidc' END, 'private_key_jwt', CASE WHEN n % 3 = 0 THEN 'inactive' ELSE 'active' END, ${time}
    FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO project_roles (org_id, project_id, key, display_name, created_at)
    SELECT $1, $1 || 'p01', 'list.' || lpad(n::text, 2, '0'), 'Role', ${time} FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO users (id, org_id, kind, state, user_name)
    SELECT $1 || 'u' || lpad(n::text, 2, '0'), $1, 'human', 'active', 'list-' || n FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
    SELECT $1, $1 || 'u' || lpad(n::text, 2, '0'), 'A', 'B', ${NAME}, 'list-' || n || '@mail.test' FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO memberships (user_id, user_org_id, org_id, role, created_at)
    SELECT $1 || 'u' || lpad(n::text, 2, '0'), $1, $1, CASE WHEN n % 3 = 0 THEN 'ORG_USER_MANAGER' ELSE 'ORG_OWNER_VIEWER' END, ${time}
    FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO notifications (id, org_id, user_id, channel, template, state, finished_at, created_at)
    SELECT $1 || 'n' || lpad(n::text, 2, '0'), $1, $1 || 'u01', 'email', 'password_changed', 'sent', app_now(), ${time}
    FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO user_metadata (org_id, user_id, key, value)
    SELECT $1, $1 || 'u01', 'list.' || lpad(n::text, 2, '0'), '\\x00' FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO webhooks (id, org_id, name, url, event_types, state, created_at)
    SELECT $1 || 'w' || lpad(n::text, 2, '0'), $1, ${NAME}, 'https://hook.test', '{*}', CASE WHEN n % 3 = 0 THEN 'inactive' ELSE 'active' END, ${time}
    FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO application_keys (id, org_id, application_id, public_jwk, expires_at, created_at)
    SELECT $1 || 'k' || lpad(n::text, 2, '0'), $1, $1 || 'a01', '{}', ${ENDS}, ${time} FROM generate_series(1, $2::int) n`);
  await add(
    `INSERT INTO users (id, org_id, kind, state, user_name) VALUES ($1 || 's', $1, 'machine', 'active', 'robot' || left($2::text, 0))`,
  );
  await add(
    `INSERT INTO service_users (user_id, org_id, name) VALUES ($1 || 's', $1, 'Robot' || left($2::text, 0))`,
  );
  await add(`INSERT INTO service_user_keys (id, org_id, user_id, public_jwk, expires_at, created_at)
    SELECT $1 || 'q' || lpad(n::text, 2, '0'), $1, $1 || 's', '{}', ${ENDS}, ${time} FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO personal_access_tokens (id, org_id, user_id, token_hash, expires_at, created_at)
    SELECT $1 || 't' || lpad(n::text, 2, '0'), $1, $1 || 's', sha256(($1 || n)::bytea), nullif(${ENDS}, '9999-12-31 23:59:59Z'), ${time}
    FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO organization_domains (org_id, domain, created_at)
    SELECT $1, 'list.' || $1 || '-' || lpad(n::text, 2, '0'), ${time} FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO scim_tokens (id, org_id, name, token_hash, expires_at, created_at)
    SELECT $1 || 'd' || lpad(n::text, 2, '0'), $1, ${NAME}, sha256(($1 || 'd' || n)::bytea), nullif(${ENDS}, '9999-12-31 23:59:59Z'), ${time}
    FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO initial_access_tokens (id, org_id, project_id, name, token_hash, most_uses, expires_at, created_at)
    SELECT $1 || 'r' || lpad(n::text, 2, '0'), $1, $1 || 'p01', ${NAME}, sha256(($1 || 'r' || n)::bytea), 1, nullif(${ENDS}, '9999-12-31 23:59:59Z'), ${time}
    FROM generate_series(1, $2::int) n`);
  // to one after the other, and from one project after the other to a user
  await add(`INSERT INTO organizations (id, name)
    SELECT $1 || 'o' || lpad(n::text, 2, '0'), ${NAME} FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO project_grants (id, org_id, project_id, granted_org_id, state, created_at)
    SELECT $1 || 'g' || lpad(n::text, 2, '0'), $1, $1 || 'p01', $1 || 'o' || lpad(n::text, 2, '0'),
      CASE WHEN n % 3 = 0 THEN 'inactive' ELSE 'active' END, ${time} FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO role_assignments (id, org_id, user_id, project_id, project_org_id, state, created_at)
    SELECT $1 || 'h' || lpad(n::text, 2, '0'), $1, $1 || 'u01', $1 || 'p' || lpad(n::text, 2, '0'), $1,
      CASE WHEN n % 3 = 0 THEN 'inactive' ELSE 'active' END, ${time} FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO projects (id, org_id, name) VALUES ($1 || 'held', $1, 'Held' || left($2::text, 0))`);
  await add(`INSERT INTO project_roles (org_id, project_id, key, display_name)
    VALUES ($1, $1 || 'held', 'keeper', 'Keeper' || left($2::text, 0))`);
  await add(`INSERT INTO role_assignments (id, org_id, user_id, project_id, project_org_id, created_at)
    SELECT $1 || 'v' || lpad(n::text, 2, '0'), $1, $1 || 'u' || lpad(n::text, 2, '0'), $1 || 'held', $1, ${time}
    FROM generate_series(1, $2::int) n`);
  await add(`INSERT INTO role_assignment_roles (role_assignment_id, project_id, role_key)
    SELECT $1 || 'v' || lpad(n::text, 2, '0'), $1 || 'held', 'keeper' FROM generate_series(1, $2::int) n WHERE n % 3 = 0`);
  await add(`INSERT INTO imports (id, org_id, created_by, format, mode, notify, state, finished_at, expires_at, created_at)
    SELECT $1 || 'i' || lpad(n::text, 2, '0'), $1, $1 || 'u01', 'ndjson', 'insert', 'none', 'done', app_now(), app_now(), ${time}
    FROM generate_series(1, $2::int) n`);
}

type Row = Readonly<Record<string, unknown>>;
interface Answer {
  readonly result?: readonly Row[];
  readonly nextCursor?: string;
  readonly details: { readonly totalResult: string };
}

interface Asked {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
}

interface List {
  /** Asked for by an address alone. */
  readonly method?: 'GET';
  readonly path: () => string;
  readonly id: string;
  readonly name?: string;
  readonly columns?: readonly string[];
  /** The order that it has without a column. */
  readonly isOrderedByText?: boolean;
  /** Narrows it to what was filled in. */
  readonly queries?: readonly object[];
  /** One that some have, and another list of the same. */
  readonly filter?: object;
  readonly some?: (n: number) => boolean;
}

const mine = { nameQuery: { name: 'list', method: 'TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE' } };
const resting = (n: number) => n % 3 === 0;
const LISTS: Readonly<Record<string, List>> = {
  projects: {
    path: () => 'projects/_search',
    id: 'id',
    name: 'name',
    columns: ['PROJECT_FIELD_NAME_NAME', 'PROJECT_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
    filter: { stateQuery: { state: 'PROJECT_STATE_INACTIVE' } },
    some: resting,
  },
  applications: {
    path: () => `projects/${home.orgId}p01/apps/_search`,
    id: 'id',
    name: 'name',
    columns: ['APP_FIELD_NAME_NAME', 'APP_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
    filter: { state_query: { state: 'APP_STATE_INACTIVE' } },
    some: resting,
  },
  'applications of a type': {
    path: () => `projects/${home.orgId}p01/apps/_search`,
    id: 'id',
    name: 'name',
    columns: ['APP_FIELD_NAME_NAME'],
    filter: { typeQuery: { type: 'APP_TYPE_API' } },
    some: (n) => n % 5 === 0,
  },
  roles: {
    path: () => `projects/${home.orgId}p01/roles/_search`,
    id: 'key',
    name: 'key',
    columns: ['PROJECT_ROLE_FIELD_NAME_KEY', 'PROJECT_ROLE_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
  },
  members: {
    path: () => 'orgs/me/members/_search',
    id: 'userId',
    name: 'displayName',
    columns: ['MEMBER_FIELD_NAME_NAME', 'MEMBER_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
    filter: { roleQuery: { role: 'ORG_USER_MANAGER' } },
    some: resting,
  },
  webhooks: {
    path: () => 'webhooks/_search',
    id: 'id',
    name: 'name',
    columns: ['WEBHOOK_FIELD_NAME_NAME', 'WEBHOOK_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
    filter: { stateQuery: { state: 'STATE_INACTIVE' } },
    some: resting,
  },
  'keys of an application': {
    path: () => `projects/${home.orgId}p01/apps/${home.orgId}a01/keys/_search`,
    id: 'id',
    columns: ['KEY_FIELD_NAME_EXPIRATION_DATE', 'KEY_FIELD_NAME_CREATION_DATE'],
    filter: { stateQuery: { state: 'KEY_STATE_EXPIRED' } },
    some: resting,
  },
  'keys of an application, by an address': {
    method: 'GET',
    path: () => `projects/${home.orgId}p01/apps/${home.orgId}a01/keys`,
    id: 'id',
    columns: ['KEY_FIELD_NAME_EXPIRATION_DATE'],
    filter: { stateQuery: { state: 'KEY_STATE_ACTIVE' } },
    some: (n) => !resting(n),
  },
  'keys of a service user': {
    method: 'GET',
    path: () => `users/${home.orgId}s/keys`,
    id: 'keyId',
    columns: ['KEY_FIELD_NAME_EXPIRATION_DATE', 'KEY_FIELD_NAME_CREATION_DATE'],
    filter: { stateQuery: { state: 'KEY_STATE_EXPIRED' } },
    some: resting,
  },
  'personal access tokens': {
    method: 'GET',
    path: () => `users/${home.orgId}s/pats`,
    id: 'id',
    columns: [
      'PERSONAL_ACCESS_TOKEN_FIELD_NAME_EXPIRATION_DATE',
      'PERSONAL_ACCESS_TOKEN_FIELD_NAME_CREATION_DATE',
    ],
    filter: { stateQuery: { state: 'PERSONAL_ACCESS_TOKEN_STATE_ACTIVE' } },
    some: (n) => !resting(n),
  },
  domains: {
    path: () => 'orgs/me/domains/_search',
    id: 'domainName',
    name: 'domainName',
    columns: ['ORG_DOMAIN_FIELD_NAME_NAME', 'ORG_DOMAIN_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
  },
  'roles of a user': {
    path: () => `users/${home.orgId}u01/grants/_search`,
    id: 'id',
    name: 'projectName',
    columns: ['USER_GRANT_FIELD_NAME_PROJECT_NAME', 'USER_GRANT_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
    filter: { stateQuery: { state: 'USER_GRANT_STATE_INACTIVE' } },
    some: resting,
  },
  'roles of users in a project': {
    path: () => `projects/${home.orgId}held/user_grants/_search`,
    id: 'id',
    name: 'displayName',
    columns: ['USER_GRANT_FIELD_NAME_DISPLAY_NAME', 'USER_GRANT_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
    filter: { roleKeyQuery: { roleKey: 'keeper' } },
    some: resting,
  },
  'grants of a project': {
    method: 'GET',
    path: () => `projects/${home.orgId}p01/grants`,
    id: 'grantId',
    name: 'grantedOrgName',
    columns: ['PROJECT_GRANT_FIELD_NAME_GRANTED_ORG_NAME', 'PROJECT_GRANT_FIELD_NAME_CREATION_DATE'],
    // the other organization's grant is for its own name
    queries: [{ searched: { search: 'LIST 0' } }],
    filter: { stateQuery: { state: 'PROJECT_GRANT_STATE_INACTIVE' } },
    some: resting,
  },
  'projects of others': {
    path: () => 'granted_projects/_search',
    id: 'grantId',
    name: 'projectName',
    columns: ['PROJECT_GRANT_FIELD_NAME_PROJECT_NAME', 'PROJECT_GRANT_FIELD_NAME_CREATION_DATE'],
    queries: [mine],
    filter: { stateQuery: { state: 'PROJECT_GRANT_STATE_INACTIVE' } },
    some: resting,
  },
  'SCIM tokens': {
    method: 'GET',
    path: () => 'orgs/me/scim_tokens',
    id: 'id',
    name: 'name',
    columns: [
      'SCIM_TOKEN_FIELD_NAME_NAME',
      'SCIM_TOKEN_FIELD_NAME_EXPIRATION_DATE',
      'SCIM_TOKEN_FIELD_NAME_CREATION_DATE',
    ],
    queries: [{ searched: { search: 'ist 0' } }],
    filter: { stateQuery: { state: 'SCIM_TOKEN_STATE_EXPIRED' } },
    some: resting,
  },
  'initial access tokens': {
    method: 'GET',
    path: () => 'orgs/me/initial_access_tokens',
    id: 'id',
    name: 'name',
    columns: [
      'INITIAL_ACCESS_TOKEN_FIELD_NAME_NAME',
      'INITIAL_ACCESS_TOKEN_FIELD_NAME_EXPIRATION_DATE',
      'INITIAL_ACCESS_TOKEN_FIELD_NAME_CREATION_DATE',
    ],
    queries: [{ searched: { search: 'ist 0' } }],
    filter: { stateQuery: { state: 'INITIAL_ACCESS_TOKEN_STATE_ACTIVE' } },
    some: (n) => !resting(n),
  },
  'users found by fields': {
    path: () => 'users/_search',
    id: 'id',
    queries: [{ userNameQuery: { userName: 'list-', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }],
    isOrderedByText: true,
  },
  'users found by their type': {
    path: () => 'users/_search',
    id: 'id',
    queries: [{ typeQuery: { type: 'TYPE_HUMAN' } }],
    isOrderedByText: true,
  },
  'metadata of a user': {
    path: () => `users/${home.orgId}u01/metadata/_search`,
    id: 'key',
    isOrderedByText: true,
  },
  messages: { path: () => 'notifications/_search', id: 'id' },
};

const search = async (list: List, body: Asked) =>
  list.method === 'GET'
    ? await owner.call('GET', `${list.path()}?${inAddress(body).toString()}`)
    : await owner.call('POST', list.path(), body);

function inAddress({ query, queries = [], ...more }: Asked): URLSearchParams {
  const parts = [query ?? {}, more, ...(queries as readonly object[]).flatMap((one) => Object.values(one))];
  const address = new URLSearchParams();
  for (const [name, value] of parts.flatMap((part) => Object.entries(part as object))) {
    if (value !== undefined) address.append(name, String(value));
  }
  return address;
}

async function page(list: List, body: Asked): Promise<Answer> {
  const response = await search(list, body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<Answer>();
}

async function all(list: List, { query, ...more }: Asked): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const part: Answer = await page(list, { ...more, query: { ...query, ...(cursor && { cursor }) } });
    rows.push(...(part.result ?? []));
    cursor = part.nextCursor;
  } while (cursor !== undefined);
  return rows;
}

/** Of the n-th, as `ENDS` has it. */
function endOf(n: number): string {
  if (n % 3 === 2) return '2';
  const step = Math.trunc(n / 6);
  return n % 3 === 0 ? `0${step}` : `1${9 - step}`;
}

const numberOf = (row: Row, { id }: List) => Number(/\d\d$/.exec(String(row[id]))?.[0]);

describe.each(Object.entries(LISTS))('the list of %s', (_, list) => {
  const { columns = [undefined], queries = [] } = list;
  const narrowed = queries.length > 0 && { queries };

  it.each(columns)('by %s goes through all of them once, both ways', async (sortingColumn) => {
    const asked = { ...narrowed, ...(sortingColumn !== undefined && { sortingColumn }) };
    const byName = sortingColumn?.endsWith('_NAME') === true || sortingColumn?.endsWith('_KEY') === true;
    const keyOf = (row: Row): string => {
      if (byName) return String(row[list.name ?? '']).toLowerCase();
      const number = numberOf(row, list);
      if (sortingColumn?.endsWith('_EXPIRATION_DATE') === true) return endOf(number);
      return String(Math.trunc(number / 2)).padStart(2, '0');
    };
    const up = await all(list, { ...asked, query: { limit: 5, asc: true } });
    expect(up).toHaveLength(MANY);
    const expected = up.toSorted(
      (a, b) => compare(keyOf(a), keyOf(b)) || compare(String(a[list.id]), String(b[list.id])),
    );
    expect(up.map((row) => row[list.id])).toEqual(expected.map((row) => row[list.id]));
    const down = await all(list, { ...asked, query: { limit: 4 } });
    expect(down.map((row) => row[list.id])).toEqual(expected.toReversed().map((row) => row[list.id]));
    expect(up.every((row) => JSON.stringify(row).includes(home.orgId))).toBe(true);
  });

  it('is refused a cursor of another order, beside an offset, and one that nobody gave', async () => {
    const [sortingColumn] = columns;
    const asked = { ...narrowed, ...(sortingColumn !== undefined && { sortingColumn }) };
    const { nextCursor: cursor = '', details } = await page(list, { ...asked, query: { limit: 3 } });
    expect(details.totalResult).toBe(String(MANY));
    const refused = async (body: Asked, text: string) => {
      const response = await search(list, body);
      expect([response.statusCode, response.body]).toEqual([400, expect.stringContaining(text)]);
    };
    await refused({ ...asked, query: { cursor, asc: true } }, 'another order');
    await refused({ ...asked, query: { cursor, offset: 1 } }, 'offset');
    await refused({ ...asked, query: { cursor: 'nothing' } }, 'not one that this release gave');
    const [written = '', place = ''] = cursor.split('.');
    const [of] = JSON.parse(Buffer.from(written, 'base64url').toString()) as [string];
    const forged = `${Buffer.from(JSON.stringify([of, `'; --`, 'x'])).toString('base64url')}.${place}`;
    await refused({ ...asked, query: { cursor: written } }, 'not one that this release gave');
    await refused({ ...asked, query: { cursor: `${written}.${of}` } }, 'of another list');
    // in the order of names it is a name like any other
    const isName = list.isOrderedByText === true || /_(?:NAME|KEY)$/.test(sortingColumn ?? '');
    const response = await search(list, { ...asked, query: { cursor: forged } });
    expect(response.statusCode).toBe(isName ? 200 : 400);
  });
});

describe.each(Object.entries(LISTS).filter(([, { filter }]) => filter !== undefined))(
  'a filter of %s',
  (_, list) => {
    it('is held by every page, and a cursor goes with it', async () => {
      const [sortingColumn] = list.columns ?? [];
      const { filter = {}, queries = [], some = () => true } = list;
      const asked = { queries: [...queries, filter], sortingColumn };
      const rows = await all(list, { ...asked, query: { limit: 2, asc: true } });
      const numbers = Array.from({ length: MANY }, (__, n) => n + 1).filter(some);
      expect(rows.map((row) => numberOf(row, list)).toSorted((a, b) => a - b)).toEqual(numbers);
      const { nextCursor: cursor, details } = await page(list, { ...asked, query: { limit: 2, asc: true } });
      expect(details.totalResult).toBe(String(numbers.length));
      const other = await search(list, { queries, sortingColumn, query: { limit: 2, asc: true, cursor } });
      expect(other.statusCode).toBe(400);
      expect((await search(list, { queries: [filter, filter] })).statusCode).toBe(400);
    });
  },
);

describe('a search in an address', () => {
  const found = async (path: string, caller = owner) => {
    const response = await caller.call('GET', path);
    return response.statusCode === 200 ? response.json<Answer>() : response.statusCode;
  };
  const SEARCHED = [
    ['SCIM tokens', 'orgs/me/scim_tokens', 'SCIM_TOKEN_FIELD_NAME_NAME'],
    ['initial access tokens', 'orgs/me/initial_access_tokens', 'INITIAL_ACCESS_TOKEN_FIELD_NAME_NAME'],
    ['grants of a project', `projects/{org}p01/grants`, 'PROJECT_GRANT_FIELD_NAME_GRANTED_ORG_NAME'],
  ] as const;

  it.each(SEARCHED)('of %s finds letters, no patterns, and nothing of others (S513)', async (_, path, by) => {
    const at = `${path.replace('{org}', home.orgId)}?sortingColumn=${by}&limit=1000`;
    for (const nothing of ['%25', '_', '.*', "'", '\\', 'list%2003x'])
      expect(await found(`${at}&search=${nothing}`), nothing).toMatchObject({
        details: { totalResult: '0' },
      });
    const { result = [] } = (await found(`${at}&search=LIST%2003`)) as Answer;
    expect(result.length).toBeGreaterThan(0);
    for (const row of result) {
      expect(JSON.stringify(row).toLowerCase()).toContain('list 03');
      expect(JSON.stringify(row)).not.toContain(other.orgId);
    }
    expect(await found(`${at}&search=%00`)).toBe(400);
    expect(await found(`${at}&search=${'a'.repeat(201)}`)).toBe(400);
    expect(await found(`${at}&search=a&search=b`)).toBe(400);
    expect(await found(`${path.replace('{org}', home.orgId)}?sortingColumn=expires_at`)).toBe(400);
  });

  it.each(SEARCHED)('of %s has cursors of its own', async (_, path, by) => {
    const at = `${path.replace('{org}', home.orgId)}?sortingColumn=${by}&limit=2`;
    const { nextCursor: cursor = '' } = (await found(`${at}&search=list`)) as Answer;
    expect(cursor).not.toBe('');
    expect(await found(`${at}&search=list&cursor=${cursor}`)).toMatchObject({
      result: expect.anything() as unknown,
    });
    expect(await found(`${at}&search=lis&cursor=${cursor}`)).toBe(400);
    expect(await found(`${at}&cursor=${cursor}`)).toBe(400);
  });
});

describe('a cursor', () => {
  const first = async (path: string, headers = {}) => {
    const response = await root.call('POST', path, { query: { limit: 3 } }, { headers });
    expect(response.statusCode, response.body).toBe(200);
    return response.json<Answer>().nextCursor ?? '';
  };
  const again = async (path: string, cursor: string, headers = {}) => {
    const response = await root.call('POST', path, { query: { limit: 3, cursor } }, { headers });
    return [
      response.statusCode,
      response.statusCode === 200 ? '' : response.json<{ message: string }>().message,
    ];
  };
  const anotherList = [400, expect.stringContaining('cursor is of another list')];

  it('is refused in the same list of another organization, project and kind (S477)', async () => {
    const [here, there] = [{ 'x-zitadel-orgid': home.orgId }, { 'x-zitadel-orgid': other.orgId }];
    const projects = await first('projects/_search', here);
    expect(await again('projects/_search', projects, here)).toEqual([200, '']);
    expect(await again('projects/_search', projects, there)).toEqual(anotherList);
    expect(await again('orgs/me/members/_search', projects, here)).toEqual(anotherList);
    const roles = await first(`projects/${home.orgId}p01/roles/_search`, here);
    expect(await again(`projects/${home.orgId}p01/roles/_search`, roles, here)).toEqual([200, '']);
    expect(await again(`projects/${home.orgId}p02/roles/_search`, roles, here)).toEqual(anotherList);
    // in an address as well
    const imports = await root.call('GET', 'imports?limit=3', undefined, { headers: here });
    const { nextCursor: cursor = '' } = imports.json<Answer>();
    expect(
      (await root.call('GET', `imports?limit=3&cursor=${cursor}`, undefined, { headers: here })).statusCode,
    ).toBe(200);
    const elsewhere = await root.call('GET', `imports?limit=3&cursor=${cursor}`, undefined, {
      headers: there,
    });
    expect([elsewhere.statusCode, elsewhere.body]).toEqual([400, expect.stringContaining('another list')]);
  });

  it('of users or metadata is of one search', async () => {
    const { users, metadata } = {
      users: LISTS['users found by fields'] as List,
      metadata: LISTS['metadata of a user'] as List,
    };
    const { queries } = users;
    const { nextCursor: cursor } = await page(users, { queries, query: { limit: 2 } });
    expect(cursor).toBeDefined();
    expect((await search(users, { query: { limit: 2, cursor } })).statusCode).toBe(400);
    const { nextCursor: place } = await page(metadata, { keyStartsWith: 'list', query: { limit: 2 } });
    expect(place).toBeDefined();
    expect(
      (await search(metadata, { keyStartsWith: 'lis', query: { limit: 2, cursor: place } })).statusCode,
    ).toBe(400);
    expect(
      (await search(metadata, { keyStartsWith: 'list', query: { limit: 2, cursor: place } })).statusCode,
    ).toBe(200);
  });

  it('of the usual order is one of that order asked for by its name', async () => {
    const { projects } = LISTS as { readonly projects: List };
    const usual = await page(projects, { query: { limit: 3 } });
    const sortingColumn = 'PROJECT_FIELD_NAME_CREATION_DATE';
    const named = await page(projects, { sortingColumn, query: { limit: 3 } });
    expect(named.nextCursor).toBe(usual.nextCursor);
    expect(usual.nextCursor).toBeDefined();
    const next = await page(projects, { sortingColumn, query: { limit: 3, cursor: usual.nextCursor } });
    expect(next.result).toHaveLength(3);
  });
});

describe('other lists', () => {
  it('of imports goes through all of them once, also while others are added', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const response = await owner.call('GET', `imports?limit=4${cursor && `&cursor=${cursor}`}`);
      expect(response.statusCode, response.body).toBe(200);
      const part = response.json<Answer>();
      seen.push(...(part.result ?? []).map(({ id }) => String(id)));
      cursor = part.nextCursor ?? '';
      await api.sql.query(
        `INSERT INTO imports (id, org_id, created_by, format, mode, notify, state, finished_at, expires_at)
         VALUES ('later' || $2, $1, $1 || 'u01', 'ndjson', 'insert', 'none', 'done', app_now(), app_now())`,
        [home.orgId, seen.length],
      );
    } while (cursor !== '');
    expect(seen).toEqual([...seen].toSorted().toReversed());
    expect(seen).toHaveLength(MANY);
    expect((await owner.call('GET', 'imports?cursor=x')).statusCode).toBe(400);
  });

  it('of organizations is in the order of names and of age', async () => {
    for (const name of ['Zulu', 'alpha', 'Mike'])
      await root.call('POST', '/admin/v1/orgs', { name: `Order ${name}` });
    const asked = {
      queries: [{ nameQuery: { name: 'Order ', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }],
      query: { asc: true, limit: 2 },
    };
    const names = async (body: object): Promise<readonly string[]> => {
      const response = await root.call('POST', '/admin/v1/orgs/_search', body);
      expect(response.statusCode, response.body).toBe(200);
      const { result = [], nextCursor: cursor } = response.json<Answer>();
      const first = result.map(({ name }) => String(name));
      return cursor === undefined
        ? first
        : [...first, ...(await names({ ...body, query: { ...asked.query, cursor } }))];
    };
    expect(await names({ ...asked, sortingColumn: 'ORG_FIELD_NAME_NAME' })).toEqual([
      'Order alpha',
      'Order Mike',
      'Order Zulu',
    ]);
    expect(await names(asked)).toEqual(['Order Zulu', 'Order alpha', 'Order Mike']);
    const inactive = { stateQuery: { state: 'ORG_STATE_INACTIVE' } };
    expect(await names({ ...asked, queries: [...asked.queries, inactive] })).toEqual([]);
  });
});

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
