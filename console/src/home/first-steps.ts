import { useQueries } from '@tanstack/react-query';
import de from '../../../locales/console/de/home.json';
import en from '../../../locales/console/en/home.json';
import { answered, api, inOrganization } from '../api/client.ts';
import type { May } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { findUsers } from '../users/users.ts';

const t = words({ en, de }).steps;

export interface FirstStep {
  readonly label: string;
  readonly help: string;
  /** Where it is done, as an address of the console or of the service. */
  readonly at: string;
  /** Undefined until it is known. */
  readonly isDone: boolean | undefined;
}

interface Check {
  readonly name: 'domain' | 'application' | 'user' | 'factor' | 'keys';
  readonly permission?: string;
  readonly at: string;
  readonly isDone: (org: string) => Promise<boolean>;
}

const CHECKS: readonly Check[] = [
  { name: 'application', permission: 'project.app.read', at: '/projects', isDone: hasApplication },
  { name: 'user', permission: 'user.write', at: '/users', isDone: hasUsers },
  { name: 'domain', permission: 'org.write', at: '/settings', isDone: hasDomain },
  { name: 'factor', at: '/account/security', isDone: hasFactor },
  { name: 'keys', permission: 'iam.web_key.read', at: '/instance/keys', isDone: rotatesKeys },
];

/** What a new organization needs, of what the visitor may see to; each is read from what there is. */
export function useFirstSteps(org: string, may: May): readonly FirstStep[] {
  const checks = CHECKS.filter(({ permission }) => permission === undefined || may(permission));
  const results = useQueries({
    queries: checks.map(({ name, isDone }) => ({
      queryKey: ['first-steps', org, name],
      queryFn: async () => await isDone(org),
      staleTime: 60_000,
    })),
  });
  return checks.map(({ name, at }, index) => ({
    ...t[name],
    at: name === 'factor' ? at : `/console${at.startsWith('/instance') ? '' : `/orgs/${org}`}${at}`,
    isDone: results[index]?.data,
  }));
}

/** In a project beside the service's own, whose one application is this console. */
async function hasApplication(org: string): Promise<boolean> {
  const params = inOrganization(org);
  const { result: projects = [] } = await answered(
    api.POST('/management/v1/projects/_search', { params, body: { query: { limit: 20 } } }),
  );
  for (const { id: projectId } of projects) {
    const { result: applications = [] } = await answered(
      api.POST('/management/v1/projects/{projectId}/apps/_search', {
        params: { ...params, path: { projectId } },
        body: { query: { limit: 2 } },
      }),
    );
    if (applications.some(({ oidcConfig }) => !isConsole(oidcConfig?.redirectUris))) return true;
  }
  return false;
}

function isConsole(redirectUris: readonly string[] = []): boolean {
  return redirectUris.includes(`${location.origin}/console/callback`);
}

/** Somebody beside the visitor. */
async function hasUsers(org: string): Promise<boolean> {
  return (await findUsers(org, { type: 'TYPE_HUMAN', limit: 2 })).total > 1;
}

async function hasDomain(org: string): Promise<boolean> {
  const { result = [] } = await answered(
    api.POST('/management/v1/orgs/me/domains/_search', { params: inOrganization(org), body: {} }),
  );
  return result.some(
    ({ domainName, isVerified }) =>
      isVerified === true && domainName !== 'localhost' && !domainName.endsWith(`.${location.hostname}`),
  );
}

async function hasFactor(): Promise<boolean> {
  const { totp, passkeys } = await answered(api.GET('/auth/v1/users/me/factors'));
  return totp || passkeys > 0;
}

async function rotatesKeys(): Promise<boolean> {
  const { rotationPeriod } = await answered(api.GET('/admin/v1/keys/schedule'));
  return rotationPeriod !== undefined && rotationPeriod !== '0s';
}
