import { Injectable } from '@nestjs/common';
import type { ApplicationRecord, ApplicationType } from '../../domain/applications/applications.store.js';
import { ReadApplications } from '../../domain/applications/read-applications.js';
import { ExportStore } from '../../domain/imports/export.store.js';
import { ProjectGrantsStore } from '../../domain/project-grants/project-grants.store.js';
import { ProjectsStore } from '../../domain/projects/projects.store.js';
import type { ApplicationId, OrgId } from '../../domain/shared/ids.js';
import { applicationAnswer } from '../shared/schemas/application.schemas.js';
import { hashedSecret, nonZero, type WantedData } from './exported-fields.js';
import { each, pagesOf } from './exported-pages.js';

/** The projects of an exported organization, with their roles, their applications and whom they are granted to. */
@Injectable()
export class ExportProjects {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly applications: ReadApplications,
    private readonly projectGrants: ProjectGrantsStore,
    private readonly store: ExportStore,
  ) {}

  async *projectsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const project of each((page) => this.projects.list(orgId, page))) {
      const { projectRoleAssertion, projectRoleCheck, hasProjectCheck, privateLabelingSetting } = project;
      const settings = { projectRoleAssertion, projectRoleCheck, hasProjectCheck };
      const isSet = privateLabelingSetting !== 'PRIVATE_LABELING_SETTING_UNSPECIFIED';
      yield {
        projectId: project.id,
        project: {
          name: project.name,
          ...nonZero(settings),
          ...(isSet && { privateLabelingSetting }),
          ...(project.resourceUri != null && { resourceUri: project.resourceUri }),
          ...(project.openResource === true && { openResource: true }),
        },
        ...(project.state === 'inactive' && { state: 'PROJECT_STATE_INACTIVE' }),
      };
    }
  }

  async *rolesOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { id: projectId } of each((page) => this.projects.list(orgId, page))) {
      for await (const role of each((page) => this.projects.listRoles({ orgId, projectId }, page))) {
        const { key: roleKey, displayName, group } = role;
        yield { projectId, roleKey, displayName, ...nonZero({ group }) };
      }
    }
  }

  async *applicationsOf(
    orgId: OrgId,
    type: ApplicationType,
    { withPasswords }: WantedData,
  ): AsyncGenerator<object> {
    for await (const { id: projectId } of each((page) => this.projects.list(orgId, page))) {
      const pages = pagesOf((page) => this.applications.list(orgId, projectId, page));
      for await (const page of pages) {
        const wanted = page.filter(
          (application) => application.type === type && !isSelfRegistered(application),
        );
        const ids = wanted.map(({ id }) => id);
        const hashes = withPasswords
          ? await this.store.secretHashes(orgId, ids)
          : new Map<ApplicationId, Buffer>();
        for (const application of wanted) {
          yield {
            appId: application.id,
            app: { projectId, ...appOf(application) },
            clientId: application.clientId,
            ...hashedSecret(hashes.get(application.id)),
            ...(application.state === 'inactive' && { state: 'APP_STATE_INACTIVE' }),
          };
        }
      }
    }
  }

  async *grantsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { id: projectId } of each((page) => this.projects.list(orgId, page))) {
      for await (const grant of each((page) => this.projectGrants.list(orgId, projectId, page))) {
        const { id: grantId, grantedOrgId, roleKeys, state } = grant;
        const keys = roleKeys.length > 0 && { roleKeys };
        const resting = state === 'inactive' && { state: 'PROJECT_GRANT_STATE_INACTIVE' };
        yield { grantId, projectGrant: { projectId, grantedOrgId, ...keys }, ...resting };
      }
    }
  }
}

/** It would come back as one that somebody made, which its users need not be asked about; it registers again by itself. */
function isSelfRegistered(application: ApplicationRecord): boolean {
  return application.type === 'oidc' && application.registration !== null;
}

function appOf(application: ApplicationRecord): object {
  const { name, oidcConfig, apiConfig } = applicationAnswer.parse(application);
  const { clientId: _, ...config } = oidcConfig ?? apiConfig ?? { clientId: '' };
  const told = new Set([
    'allowedOrigins',
    'noneCompliant',
    'complianceProblems',
    'overruledSettings',
    'registration',
    'registrationExpirationDate',
    'allowedScopes',
  ]);
  const kept = Object.entries(config).filter(([field]) => !told.has(field));
  return { name, ...Object.fromEntries(kept) };
}
