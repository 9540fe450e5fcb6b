import de from '../../../locales/console/de/projects.json';
import en from '../../../locales/console/en/projects.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { words } from '../app/words.ts';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });

type Search = Answered<'/management/v1/projects/_search', 'post'>;
export type Project = NonNullable<Search['result']>[number];

type RoleSearch = Answered<'/management/v1/projects/{projectId}/roles/_search', 'post'>;
export type Role = NonNullable<RoleSearch['result']>[number];

export interface ProjectSearch {
  readonly search?: string | undefined;
  readonly limit?: number;
  readonly offset?: number;
}

/** Projects whose names have these letters in them. */
export async function findProjects(
  orgId: string,
  { search = '', limit = 50, offset = 0 }: ProjectSearch,
): Promise<Search> {
  const queries =
    search === ''
      ? []
      : [{ nameQuery: { name: search, method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' as const } }];
  const body = { query: { limit, offset: String(offset), asc: true }, queries };
  return await answered(api.POST('/management/v1/projects/_search', { params: inOrganization(orgId), body }));
}

export async function findProject(orgId: string, projectId: string): Promise<Project> {
  const params = { ...inOrganization(orgId), path: { projectId } };
  return (await answered(api.GET('/management/v1/projects/{projectId}', { params }))).project;
}

export async function findRoles(orgId: string, projectId: string, limit: number, offset: number) {
  const params = { ...inOrganization(orgId), path: { projectId } };
  const body = { query: { limit, offset: String(offset), asc: true } };
  return await answered(api.POST('/management/v1/projects/{projectId}/roles/_search', { params, body }));
}

export const PROJECT_STATES: Readonly<
  Record<Project['state'], { readonly label: string; readonly tone: Tone }>
> = {
  PROJECT_STATE_ACTIVE: { label: t.states.active, tone: 'good' },
  PROJECT_STATE_INACTIVE: { label: t.states.inactive, tone: 'quiet' },
};
