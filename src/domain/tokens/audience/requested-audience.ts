import { Injectable } from '@nestjs/common';
import { isUnknownHere, type Application } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { ConsentsStore, type AgreedLevel } from '../../consents/consents.store.js';
import { InstanceStore } from '../../organizations/instance.store.js';
import { lesserOf, presentAccess, type ManagementAccess } from '../../permissions/management-access.js';
import { ProjectsStore } from '../../projects/projects.store.js';
import { OAuthError } from '../../shared/errors.js';
import type { ProjectId, UserId } from '../../shared/ids.js';
import { audienceProject } from '../scopes/scopes.js';
import { ProjectAudience } from './project-audience.js';

/** That a request asks for the service's own audience, and how far the application may act by it. */
interface ApiRequest {
  readonly access: AgreedLevel;
  /** Nobody need agree: bootstrap made the application. */
  readonly firstParty: boolean;
}

export type Requested =
  | {
      /** Ids of the projects asked for; what was taken away meanwhile is dropped when the grant is opened. */
      readonly audience: readonly string[];
      /** Present where the service's own project is among them. */
      readonly api?: ApiRequest;
    }
  | { readonly refusal: OAuthError };

/**
 * The one place that decides which audience an application may request. The service's own (security S181): by
 * whatever name it is requested, only if it was granted to the application by a user who could still grant it. Other
 * projects: as `ProjectAudience` says; for an unvetted application only those that are open to such.
 */
@Injectable()
export class RequestedAudience {
  constructor(
    private readonly instance: InstanceStore,
    private readonly applications: ApplicationsStore,
    private readonly consents: ConsentsStore,
    private readonly projects: ProjectAudience,
    private readonly resources: ProjectsStore,
  ) {}

  /** What an authorization request asks for. */
  async of(scopes: readonly string[], application: Application): Promise<Requested> {
    const { id, orgId, projectId } = application;
    const foreign = await this.projects.refusal(orgId, projectId, scopes);
    if (foreign !== undefined) return { refusal: foreign };
    const { apiProjectId } = await this.instance.read();
    const asked = scopes.flatMap((scope) => audienceProject(scope, apiProjectId) ?? []);
    if (isUnknownHere(application) && !(await this.areOpen(asked, apiProjectId)))
      return { refusal: notOpen() };
    const audience = [...new Set([...ownAudience(application, apiProjectId), ...asked])];
    if (!asked.includes(apiProjectId)) return { audience };
    const given = await this.applications.findAccess(id);
    const access = given === undefined ? 'none' : presentAccess(given);
    if (given === undefined || access === 'none') return { refusal: notGiven() };
    return { audience, api: { access, firstParty: given.firstParty } };
  }

  /**
   * Whether an application may hold, for this user, a token that it did not get by a page: by exchanging one. Nobody is
   * asked there, so the user must have agreed before.
   */
  async mayHold(audience: readonly string[], application: Application, userId: UserId): Promise<boolean> {
    const { apiProjectId } = await this.instance.read();
    if (!audience.includes(apiProjectId)) return true;
    const given = await this.applications.findAccess(application.id);
    if (given === undefined) return false;
    const agreed: ManagementAccess = given.firstParty
      ? 'instance'
      : await this.consents.find(userId, application.id);
    return lesserOf(presentAccess(given), agreed) !== 'none';
  }

  /** Whether the owners of all of them let their users give them to whoever asks; the service's own APIs never. */
  private async areOpen(projects: readonly string[], apiProjectId: ProjectId): Promise<boolean> {
    if (projects.length === 0) return true;
    const open = new Set((await this.resources.findOpenResources(projects)).map(({ id }) => id as string));
    return projects.every((id) => id !== apiProjectId && open.has(id));
  }

  /** Ids of the projects that scopes name, the service's own by its id. */
  async namedBy(scopes: readonly string[]): Promise<readonly string[]> {
    const { apiProjectId } = await this.instance.read();
    return scopes.flatMap((scope) => audienceProject(scope, apiProjectId) ?? []);
  }
}

function notOpen(): OAuthError {
  return new OAuthError('invalid_scope', 'scope names a project that this client may not ask for');
}

function notGiven(): OAuthError {
  return new OAuthError(
    'invalid_scope',
    "the application was not given access to the service's own APIs (managementAccess)",
  );
}

/** The application's own project: tokens are for all of its applications; those of an unvetted application are for itself alone. */
function ownAudience(
  application: Pick<Application, 'projectId' | 'registration'>,
  apiProjectId: ProjectId,
): readonly string[] {
  // an application of the service's own project has no privilege: it has to request that audience as well
  const isOfNone = application.projectId === apiProjectId || isUnknownHere(application);
  return isOfNone ? [] : [application.projectId];
}
