import de from '../../../locales/console/de/projects.json';
import en from '../../../locales/console/en/projects.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { words } from '../app/words.ts';
import { chosen, inQuery, named, orderOf, pageOf, type ListSearch } from '../shared/search-body.ts';
import type { Orders } from '../shared/sorting.tsx';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });

type Search = Answered<'/management/v1/projects/_search', 'post'>;
export type Project = NonNullable<Search['result']>[number];

type RoleSearch = Answered<'/management/v1/projects/{projectId}/roles/_search', 'post'>;
export type Role = NonNullable<RoleSearch['result']>[number];

interface ProjectSearch extends ListSearch {
  readonly state?: string | undefined;
}

/** What projects can be put in order by. */
export const PROJECT_ORDERS = {
  name: 'PROJECT_FIELD_NAME_NAME',
  created: 'PROJECT_FIELD_NAME_CREATION_DATE',
} as const satisfies Orders;
type ProjectOrder = (typeof PROJECT_ORDERS)[keyof typeof PROJECT_ORDERS];

/** Projects whose names have these letters in them. */
export async function findProjects(orgId: string, search: ProjectSearch): Promise<Search> {
  const params = inOrganization(orgId);
  const state = chosen(search.state, PROJECT_STATES);
  const queries = [...named(search.search), ...(state === undefined ? [] : [{ stateQuery: { state } }])];
  const body = { query: pageOf(search), queries, ...orderOf<ProjectOrder>(search) };
  return await answered(api.POST('/management/v1/projects/_search', { params, body }));
}

export async function findProject(orgId: string, projectId: string): Promise<Project> {
  const params = { ...inOrganization(orgId), path: { projectId } };
  return (await answered(api.GET('/management/v1/projects/{projectId}', { params }))).project;
}

/** What roles can be put in order by. */
export const ROLE_ORDERS = {
  key: 'PROJECT_ROLE_FIELD_NAME_KEY',
  created: 'PROJECT_ROLE_FIELD_NAME_CREATION_DATE',
} as const satisfies Orders;
type RoleOrder = (typeof ROLE_ORDERS)[keyof typeof ROLE_ORDERS];

export async function findRoles(orgId: string, projectId: string, search: ListSearch) {
  const params = { ...inOrganization(orgId), path: { projectId } };
  const body = { query: pageOf(search), queries: named(search.search), ...orderOf<RoleOrder>(search) };
  return await answered(api.POST('/management/v1/projects/{projectId}/roles/_search', { params, body }));
}

/** The API has no call for one role alone; a project has few. @throws Error where it is gone */
export async function findRole(orgId: string, projectId: string, key: string): Promise<Role> {
  const { result = [] } = await findRoles(orgId, projectId, { limit: 500 });
  const found = result.find((role) => role.key === key);
  if (found === undefined) throw new Error(`the role ${key} is gone`);
  return found;
}

type Holders = Answered<'/management/v1/projects/{projectId}/user_grants/_search', 'post'>;
/** A user of the organization with roles of a project. */
export type Holder = NonNullable<Holders['result']>[number];

interface HolderSearch extends ListSearch {
  /** Only who has this one. */
  readonly role?: string | undefined;
}

/** What those who hold roles can be put in order by. */
export const HOLDER_ORDERS = {
  name: 'USER_GRANT_FIELD_NAME_DISPLAY_NAME',
  created: undefined,
} as const satisfies Orders;

export async function findHolders(
  orgId: string,
  projectId: string,
  { role = '', ...search }: HolderSearch,
): Promise<Holders> {
  const params = { ...inOrganization(orgId), path: { projectId } };
  const queries = [...named(search.search), ...(role === '' ? [] : [{ roleKeyQuery: { roleKey: role } }])];
  const body = { query: pageOf(search), queries, ...orderOf<typeof HOLDER_ORDERS.name>(search) };
  return await answered(
    api.POST('/management/v1/projects/{projectId}/user_grants/_search', { params, body }),
  );
}

type Grants = Answered<'/management/v1/projects/{projectId}/grants', 'get'>;
export type ProjectGrant = NonNullable<Grants['result']>[number];

export const GRANT_STATES: Readonly<
  Record<ProjectGrant['state'], { readonly label: string; readonly tone: Tone }>
> = {
  PROJECT_GRANT_STATE_ACTIVE: { label: t.states.active, tone: 'good' },
  PROJECT_GRANT_STATE_INACTIVE: { label: t.states.inactive, tone: 'quiet' },
};

interface GrantSearch extends ListSearch {
  readonly state?: string | undefined;
}

/** What grants of a project can be put in order by. */
export const GRANT_ORDERS = {
  organization: 'PROJECT_GRANT_FIELD_NAME_GRANTED_ORG_NAME',
  created: undefined,
} as const satisfies Orders;

/** The organizations that may use a project. */
export async function findGrants(orgId: string, projectId: string, search: GrantSearch): Promise<Grants> {
  const state = chosen(search.state, GRANT_STATES);
  const query = {
    ...inQuery<typeof GRANT_ORDERS.organization>(search),
    ...(state !== undefined && { state }),
  };
  const params = { ...inOrganization(orgId), path: { projectId }, query };
  return await answered(api.GET('/management/v1/projects/{projectId}/grants', { params }));
}

export async function findGrant(orgId: string, projectId: string, grantId: string): Promise<ProjectGrant> {
  const params = { ...inOrganization(orgId), path: { projectId, grantId } };
  return (await answered(api.GET('/management/v1/projects/{projectId}/grants/{grantId}', { params })))
    .projectGrant;
}

/** What projects of others can be put in order by. */
export const GRANTED_ORDERS = {
  name: 'PROJECT_GRANT_FIELD_NAME_PROJECT_NAME',
  created: undefined,
} as const satisfies Orders;
/** By the states of projects: both lists stand on one page. */
const GRANTED_STATES = {
  PROJECT_STATE_ACTIVE: 'PROJECT_GRANT_STATE_ACTIVE',
  PROJECT_STATE_INACTIVE: 'PROJECT_GRANT_STATE_INACTIVE',
} as const;

/** Projects of others that the organization may use. */
export async function findGrantedProjects(orgId: string, search: ProjectSearch): Promise<Grants> {
  const params = inOrganization(orgId);
  const state = chosen(search.state, GRANTED_STATES);
  const queries = [
    ...named(search.search),
    ...(state === undefined ? [] : [{ stateQuery: { state: GRANTED_STATES[state] } }]),
  ];
  return await answered(
    api.POST('/management/v1/granted_projects/_search', {
      params,
      body: { query: pageOf(search), queries, ...orderOf<typeof GRANTED_ORDERS.name>(search) },
    }),
  );
}

export const PROJECT_STATES: Readonly<
  Record<Project['state'], { readonly label: string; readonly tone: Tone }>
> = {
  PROJECT_STATE_ACTIVE: { label: t.states.active, tone: 'good' },
  PROJECT_STATE_INACTIVE: { label: t.states.inactive, tone: 'quiet' },
};
