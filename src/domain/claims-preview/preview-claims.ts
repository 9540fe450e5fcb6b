import { Injectable } from '@nestjs/common';
import { applicationNotFound, type Application } from '../applications/application.js';
import { ApplicationsStore, type ApplicationPlace } from '../applications/applications.store.js';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { allows } from '../permissions/permissions.js';
import { RequirePermission } from '../permissions/require-permission.js';
import { ProjectGrantsStore } from '../project-grants/project-grants.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { RequestedAudience } from '../tokens/requested-audience.js';
import { knownScopes, parseScopes } from '../tokens/scopes.js';
import { TokensStore } from '../tokens/tokens.store.js';
import type { Subject } from '../tokens/user-claims.js';
import { userNotFound } from '../users/find-user.js';
import { ExplainTokens, type ClaimsPreview } from './explain-tokens.js';

/** So many scopes at most: each is a further look at the claims. */
const MOST_SCOPES = 30;

/**
 * What the tokens of an application would say about a user, and why. Claims come from the code that issues tokens; there is
 * no token, no signature and no identifier of one in the answer. That somebody looked is in the audit log.
 */
@Injectable()
export class PreviewClaims {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly tokens: TokensStore,
    private readonly grants: ProjectGrantsStore,
    private readonly permissions: RequirePermission,
    private readonly roles: EffectiveRoles,
    private readonly audience: RequestedAudience,
    private readonly explain: ExplainTokens,
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws ApiError not-found, invalid-argument, failed-precondition, permission-denied */
  async preview(
    place: ApplicationPlace,
    asked: { readonly userId: UserId; readonly scope: string },
    acting: Acting,
  ): Promise<ClaimsPreview> {
    await this.permissions.check(acting, place.orgId, 'user.read');
    const { application, details } = await this.application(place);
    const subject = await this.subject(place, asked.userId, acting);
    const requested = await this.requested(asked.scope, application);
    const preview = await this.explain.explain({ application, subject, ...requested });
    await this.unitOfWork.run(async (tx) => {
      await this.events.append(tx, {
        orgId: place.orgId,
        aggregateType: 'application',
        aggregateId: place.id,
        sequence: details.sequence,
        type: 'application.claims.previewed',
        actorId: acting.actorId,
        data: { userId: subject.id },
      });
    });
    return preview;
  }

  private async application(
    place: ApplicationPlace,
  ): Promise<{ readonly application: Application; readonly details: ResourceDetails }> {
    const record = await this.applications.find(place);
    if (record === undefined) throw applicationNotFound();
    if (record.type === 'api') {
      throw new ApiError('failed-precondition', 'An API application gets no tokens for users', 'APP-Pv4Ap');
    }
    const application = await this.applications.findClient(record.clientId);
    if (application === undefined) throw applicationNotFound();
    return { application, details: record.details };
  }

  /**
   * A user of another organization only where the project is granted to it and the caller may read its users. Otherwise
   * there is no such user, whether there is one or not.
   */
  private async subject(place: ApplicationPlace, userId: UserId, acting: Acting): Promise<Subject> {
    const subject = await this.tokens.findSubject(userId);
    if (subject === undefined) throw userNotFound();
    const orgId = subject.orgId as OrgId;
    if (orgId === place.orgId) return subject;
    if (!(await this.grants.isGranted(undefined, place.projectId, orgId))) throw userNotFound();
    const roles = (await this.roles.inOrganization(acting, orgId)) ?? [];
    if (!allows(roles, 'user.read')) throw userNotFound();
    return subject;
  }

  private async requested(
    scope: string,
    application: Application,
  ): Promise<{ readonly scopes: readonly string[]; readonly audience: readonly string[] }> {
    const parsed = parseScopes(scope);
    if (parsed === undefined || parsed.length > MOST_SCOPES) {
      throw new ApiError(
        'invalid-argument',
        `scope must be at most ${MOST_SCOPES} scopes (RFC 6749, section 3.3)`,
        'APP-Pv4Sc',
      );
    }
    const scopes = knownScopes(parsed);
    const requested = await this.audience.of(scopes, application);
    if ('refusal' in requested) {
      throw new ApiError('invalid-argument', requested.refusal.description, 'APP-Pv4Au');
    }
    return { scopes, audience: requested.audience };
  }
}
