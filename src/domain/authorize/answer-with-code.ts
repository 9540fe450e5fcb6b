import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { InstanceStore } from '../orgs/instance.store.js';
import { ApplicationsStore } from '../clients/applications.store.js';
import type { Session } from '../sessions/session.js';
import type { GrantId } from '../shared/ids.js';
import { randomToken, sha256 } from '../shared/random.js';
import { type Tx, UnitOfWork } from '../shared/unit-of-work.js';
import { GrantsStore } from '../tokens/grants.store.js';
import { audienceProject } from '../tokens/scopes.js';
import { TokenSettings } from '../tokens/token-settings.js';
import type { AuthorizationRequest } from './auth-request.js';

/** Opens the grant and its code for a request that a session satisfies. */
@Injectable()
export class AnswerWithCode {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly grants: GrantsStore,
    private readonly applications: ApplicationsStore,
    private readonly instance: InstanceStore,
    private readonly events: EventsStore,
    private readonly settings: TokenSettings,
  ) {}

  /**
   * @param within the transaction of a sign-in that this answer belongs to
   * @returns the code, or undefined when the application is gone
   */
  async issue(request: AuthorizationRequest, session: Session, within?: Tx): Promise<string | undefined> {
    const application = await this.applications.findBrowserApplication(request.applicationId);
    if (application?.active !== true) return undefined;
    const { apiProjectId } = await this.instance.read();
    const asked = request.scopes.flatMap((scope) => audienceProject(scope, apiProjectId) ?? []);
    const id = randomToken(16) as GrantId;
    const code = randomToken(32);
    const open = async (tx: Tx): Promise<void> => {
      await this.grants.open(tx, {
        id,
        orgId: session.orgId,
        userId: session.userId,
        applicationId: application.id,
        sessionId: session.id,
        scopes: request.scopes,
        audience: [application.projectId, ...asked],
        nonce: request.nonce ?? null,
        acr: null,
        codeHash: sha256(code),
        codeSeconds: this.settings.codeSeconds,
        codeChallenge: request.codeChallenge ?? null,
        redirectUri: request.redirectUri,
      });
      await this.events.append(tx, {
        orgId: session.orgId,
        aggregateType: 'grant',
        aggregateId: id,
        sequence: 1,
        type: 'grant.opened',
        actorId: session.userId,
        data: { clientId: application.clientId, sessionId: session.id },
      });
    };
    await (within === undefined ? this.unitOfWork.run(open) : open(within));
    return code;
  }
}
