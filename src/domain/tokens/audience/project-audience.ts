import { Injectable } from '@nestjs/common';
import { InstanceStore } from '../../organizations/instance.store.js';
import { OAuthError } from '../../shared/errors.js';
import type { OrgId } from '../../shared/ids.js';
import { audienceProject } from '../scopes/scopes.js';
import { TokensStore } from '../tokens.store.js';

/**
 * Whom the tokens of an organization's applications may be for: projects of that organization, or granted to it. The
 * audience of the service's own APIs is decided apart from this.
 */
@Injectable()
export class ProjectAudience {
  constructor(
    private readonly tokens: TokensStore,
    private readonly instance: InstanceStore,
  ) {}

  /**
   * Why scopes may not name the projects that they name: invalid_scope, the same for a project that another organization
   * has and for one that nobody has.
   */
  async refusal(
    orgId: OrgId,
    ownProjectId: string,
    scopes: readonly string[],
  ): Promise<OAuthError | undefined> {
    const { apiProjectId } = await this.instance.read();
    const asked = scopes
      .flatMap((scope) => audienceProject(scope, apiProjectId) ?? [])
      .filter((project) => project !== apiProjectId && project !== ownProjectId);
    if (asked.length === 0) return undefined;
    const reachable = await this.tokens.reachableAudience(orgId, asked);
    if (asked.every((project) => reachable.has(project))) return undefined;
    return new OAuthError(
      'invalid_scope',
      'scope names a project that does not exist or is not granted to the organization of the client',
    );
  }

  /** @throws OAuthError as `refusal` says */
  async require(orgId: OrgId, ownProjectId: string, scopes: readonly string[]): Promise<void> {
    const refusal = await this.refusal(orgId, ownProjectId, scopes);
    if (refusal !== undefined) throw refusal;
  }

  /** What of an audience may be handed on to a client of the organization. */
  async reachable(orgId: OrgId, audience: readonly string[]): Promise<ReadonlySet<string>> {
    return audience.length === 0 ? new Set() : await this.tokens.reachableAudience(orgId, audience);
  }
}

/** Audience scopes whose project is no longer in the audience must not be reported as granted. */
export function scopesWithin(scopes: readonly string[], audience: readonly string[]): readonly string[] {
  return scopes.filter((scope) => {
    const project = audienceProject(scope, '');
    return project === undefined || project === '' || audience.includes(project);
  });
}
