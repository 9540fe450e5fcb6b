import { Injectable } from '@nestjs/common';
import type { ApplicationPlace } from '../applications/applications.store.js';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { RequirePermission } from '../permissions/require-permission.js';
import type { UserId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { ExplainTokens, type ClaimsPreview } from './explain-tokens.js';
import { PreviewedApplications } from './previewed-applications.js';
import { PreviewedSubjects } from './previewed-subjects.js';

/**
 * What the tokens of an application would say about a user, and why. Claims come from the code that issues tokens; there is
 * no token, no signature and no identifier of one in the answer. That somebody looked is in the audit log.
 */
@Injectable()
export class PreviewClaims {
  constructor(
    private readonly permissions: RequirePermission,
    private readonly applications: PreviewedApplications,
    private readonly subjects: PreviewedSubjects,
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
    const { application, details } = await this.applications.find(place);
    const subject = await this.subjects.find(place, asked.userId, acting);
    const requested = await this.applications.requested(asked.scope, application);
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
}
