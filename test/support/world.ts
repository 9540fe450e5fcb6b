import { randomBytes } from 'node:crypto';
import { InstanceStore } from '../../src/domain/organizations/instance.store.js';
import { OrganizationsStore } from '../../src/domain/organizations/organizations.store.js';
import { defaultLoginPolicy, type LoginPolicy } from '../../src/domain/policies/login-policy.js';
import { PoliciesStore } from '../../src/domain/policies/policies.store.js';
import { CreateProject } from '../../src/domain/projects/create-project.js';
import type { ProjectSettings } from '../../src/domain/projects/projects.store.js';
import type { OrgId, ProjectId } from '../../src/domain/shared/ids.js';
import { randomToken } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { useApi, type Environment, type TestApi } from './api.js';
import { given } from './given.js';

/** An organization with its project; users and applications are added as a test needs them. */
export class World {
  constructor(
    readonly api: TestApi,
    readonly orgId: OrgId,
    readonly domain: string,
    readonly projectId: ProjectId,
  ) {}

  /** Lets people make accounts of their own in this organization, or lets nobody. */
  async allowRegister(allowed = true, terms: Partial<LoginPolicy> = {}): Promise<void> {
    const { app } = this.api;
    const policies = app.get(PoliciesStore);
    await app.get(UnitOfWork).run(async (tx) => {
      await policies.lockForUpdate(tx, 'login', this.orgId);
      await policies.replace(
        tx,
        'login',
        this.orgId,
        { ...defaultLoginPolicy, ...terms, allowRegister: allowed },
        true,
      );
    });
  }
}

/**
 * An API on a database of its own, and an organization in it, for all tests of a file.
 * @param environment settings on top of the quick ones
 */
export function useWorld(environment?: Environment): {
  readonly api: TestApi;
  readonly world: World;
} {
  const api = useApi(environment);
  return { api, world: given(() => anOrganization(api)) };
}

/** The first one of a database becomes the default organization, and gets the service's own project as well. */
export async function anOrganization(api: TestApi): Promise<World> {
  const { app } = api;
  const orgs = app.get(OrganizationsStore);
  const instance = app.get(InstanceStore);
  const domain = `o${randomBytes(4).toString('hex')}.test`;
  const [orgId, isFirst] = await app.get(UnitOfWork).run(async (tx) => {
    const { id } = await orgs.add(tx, { name: `Org ${domain}`, primaryDomain: domain });
    return [id, (await instance.find(tx)) === undefined] as const;
  });
  const projectId = await aProject({ api, orgId }, { name: 'Project' });
  if (isFirst) {
    const own = await aProject({ api, orgId }, { name: 'Identity Service' });
    await app.get(UnitOfWork).run((tx) => instance.add(tx, { defaultOrgId: orgId, apiProjectId: own }));
  }
  return new World(api, orgId, domain, projectId);
}

export async function aProject(
  { api, orgId }: Pick<World, 'api' | 'orgId'>,
  changes: Partial<ProjectSettings> = {},
): Promise<ProjectId> {
  const plan = {
    orgId,
    name: `Project ${randomToken(6)}`,
    projectRoleAssertion: false,
    projectRoleCheck: false,
    hasProjectCheck: false,
    privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    ...changes,
  };
  const { app } = api;
  const { id } = await app.get(UnitOfWork).run((tx) => app.get(CreateProject).execute(tx, plan, null));
  return id;
}
