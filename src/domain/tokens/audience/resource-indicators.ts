import { Injectable } from '@nestjs/common';
import { isUnknownHere, type BrowserApplication } from '../../applications/application.js';
import { ProjectsStore, type Resource } from '../../projects/projects.store.js';
import { resourceKey, resourceUriProblem } from '../../projects/resource-uri.js';
import { OAuthError } from '../../shared/errors.js';
import type { OrgId } from '../../shared/ids.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import type { IssueRequest } from '../issue-request.js';
import { scopeBeyond } from '../scopes/allowed-scopes.js';
import { scopesWithin } from './project-audience.js';
import { RequestedAudience } from './requested-audience.js';

/** Settings of this class; also the token under which configuration provides them. */
export abstract class ResourceSettings {
  /** Whether `resource` means anything; where not, it is ignored, or refused as it was. */
  abstract readonly served: boolean;
}

/** More than any request has reason to name. */
const MOST_RESOURCES = 50;
const RESOURCE = ['resource'] as const;

/**
 * Resource indicators (RFC 8707): a request names the audience of its tokens by URIs, which are registered with projects. A
 * URI resolves to a project only for its own organization, and for those that it is granted to (security S390).
 * At the authorization endpoint that is another way to write the audience scope of a project, and asks for nothing that the scope
 * could not ask for; at the token endpoint it takes of what was granted.
 */
@Injectable()
export class ResourceIndicators {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly requestedAudience: RequestedAudience,
    private readonly settings: ResourceSettings,
  ) {}

  get isServed(): boolean {
    return this.settings.served;
  }

  /** Parameters that may come more than once (§2). */
  get mayRepeat(): readonly string[] {
    return this.settings.served ? RESOURCE : [];
  }

  /**
   * Of a request that names projects by scopes alone: passed over, its tokens would be for others than were named (§2).
   *
   * @throws OAuthError invalid_target
   */
  refuseAny(parameters: OAuthParameters): void {
    if (!this.settings.served || !parameters.has('resource')) return;
    throw new OAuthError('invalid_target', 'resource is not taken here, name projects by scope');
  }

  /**
   * Ids of the projects that a request of an organization's application names; none where it names none.
   *
   * @throws OAuthError invalid_target
   */
  async named(orgId: OrgId, parameters: OAuthParameters): Promise<readonly string[]> {
    return (await this.resourcesOf(orgId, parameters)).map(({ id }) => id);
  }

  private async resourcesOf(orgId: OrgId, parameters: OAuthParameters): Promise<readonly Resource[]> {
    if (!this.settings.served || !parameters.has('resource')) return [];
    const resources = parameters.all('resource');
    if (resources.length > MOST_RESOURCES)
      throw new OAuthError('invalid_target', 'resource has too many values');
    for (const uri of resources) {
      const problem = resourceUriProblem(uri);
      if (problem !== undefined) throw new OAuthError('invalid_target', `resource ${problem}`);
    }
    const keys = new Set(resources.map(resourceKey));
    const found = await this.projects.findResources(orgId, [...keys]);
    if (found.length < keys.size) throw refused();
    return found;
  }

  /**
   * The scopes of a request with those that its resources stand for. One that nobody has looks like one that the application
   * may not name.
   *
   * @throws OAuthError invalid_target
   */
  async scopesWith(
    scopes: readonly string[],
    parameters: OAuthParameters,
    application: BrowserApplication,
  ): Promise<readonly string[]> {
    const isUnknown = isUnknownHere(application);
    // the own project is always in the audience, except for an unvetted application
    const others = (await this.resourcesOf(application.orgId, parameters)).filter(({ id, isOpen }) => {
      return id !== application.projectId || (isUnknown && isOpen);
    });
    if (others.length === 0) return scopes;
    const wanted = [
      ...new Set([...scopes, ...others.map(({ id }) => `urn:zitadel:iam:org:project:id:${id}:aud`)]),
    ];
    const requested = await this.requestedAudience.of(wanted, application);
    if ('refusal' in requested || scopeBeyond(application, wanted) !== undefined) throw refused();
    return wanted;
  }

  /** Tokens for a part of what was granted (§2.2). @throws OAuthError invalid_target for more than that */
  narrowed(tokens: IssueRequest, named: readonly string[]): IssueRequest {
    if (named.length === 0) return tokens;
    requireWithin(named, tokens.audience);
    return { ...tokens, scopes: scopesWithin(tokens.scopes, named), resources: named };
  }
}

/** @throws OAuthError invalid_target */
export function requireWithin(named: readonly string[], audience: readonly string[]): void {
  if (named.every((project) => audience.includes(project))) return;
  throw new OAuthError('invalid_target', 'resource is not among those that were granted');
}

function refused(): OAuthError {
  return new OAuthError('invalid_target', 'resource is unknown, or not for this client');
}
