import { Injectable } from '@nestjs/common';
import { isUnknownHere, type BrowserApplication } from '../../applications/application.js';
import type { ManagementAccess } from '../../permissions/management-access.js';
import type { Session } from '../../sessions/session.js';
import { OAuthError } from '../../shared/errors.js';
import { UnitOfWork, type Tx } from '../../shared/unit-of-work.js';
import { RequestedAudience, type Requested } from '../../tokens/audience/requested-audience.js';
import { scopeBeyond } from '../../tokens/scopes/allowed-scopes.js';
import type { AuthorizationRequest } from '../auth-request.js';
import { AdmitUser } from './admit-user.js';
import { AskConsent, type PreparedAnswer } from './ask-consent.js';
import { CreateAuthorization, isRegistered, type OpenedAnswer } from './create-authorization.js';
import { FinishAnswer, type AuthorizationAnswer } from './finish-answer.js';

/**
 * The user has not consented yet to the application's access to the service's own APIs, or to the scopes of a device or of an
 * unvetted application, where that access may be `none`: they are asked first.
 */
interface ConsentNeeded {
  readonly consent: ManagementAccess;
}

/**
 * Answers a request that a session satisfies, in three steps: `prepare` reads before any transaction, `open` writes
 * within one, and `finish` signs after it, so that no connection waits for a signature and no token exists for a
 * grant that was never committed.
 */
@Injectable()
export class AnswerRequest {
  constructor(
    private readonly requestedAudience: RequestedAudience,
    private readonly admitUser: AdmitUser,
    private readonly consent: AskConsent,
    private readonly openGrant: CreateAuthorization,
    private readonly finishAnswer: FinishAnswer,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * Everything that is read happens here, before any transaction: a sign-in that held one connection and asked for a
   * second would, with as many others as the pool has connections, wait for ever.
   */
  async prepare(request: AuthorizationRequest, application: BrowserApplication): Promise<PreparedAnswer> {
    // also for devices, and for a request that was found good before its application was changed
    const beyond = scopeBeyond(application, request.scopes);
    const requested: Requested =
      beyond === undefined
        ? await this.requestedAudience.of(request.scopes, application)
        : { refusal: new OAuthError('invalid_scope', `scope ${beyond} is not allowed for this client`) };
    const organization = await this.admitUser.requiredOrganization(request.scopes);
    return { request, application, requested, organization };
  }

  /** All that follows `prepare`, for a session that is there already. @returns undefined when it has ended meanwhile */
  async answer(
    prepared: PreparedAnswer,
    session: Session,
  ): Promise<AuthorizationAnswer | ConsentNeeded | undefined> {
    const opened = await this.open(undefined, prepared, session);
    if (opened === undefined || !('grant' in opened)) return opened;
    return await this.finish(opened);
  }

  /**
   * Opens the grant, with a code where the response type has one, in the transaction of the caller if it has one.
   *
   * @param agreed what the user has just agreed to; it is put on file with the grant
   * @returns undefined, with nothing written, when the session has ended meanwhile; a refusal where its user may not
   *   have this answer; what they must agree to before they have it
   */
  async open(
    tx: Tx | undefined,
    prepared: PreparedAnswer,
    session: Session,
    agreed?: ManagementAccess,
  ): Promise<OpenedAnswer | AuthorizationAnswer | ConsentNeeded | undefined> {
    const { request, application, requested, organization } = prepared;
    if ('refusal' in requested) return { request, refusal: requested.refusal };
    const { api } = requested;
    const isDevice = request.deviceAuthorizationId !== undefined;
    const isUnknown = isUnknownHere(application);
    if (
      tx === undefined &&
      (isDevice || isRegistered(application) || (api !== undefined && !api.firstParty))
    ) {
      return await this.unitOfWork.run(async (own) => await this.open(own, prepared, session, agreed));
    }
    const refusal = await this.admitUser.refusal(tx, application, organization, session);
    if (refusal !== undefined) return { request, refusal };
    if (tx !== undefined && (isDevice || isUnknown || api !== undefined)) {
      const consent = await this.consent.needed(tx, prepared, session, agreed);
      if (consent !== undefined) return { consent };
    }
    if (tx !== undefined && agreed !== undefined && !(await this.consent.give(tx, prepared, session))) {
      return undefined;
    }
    return await this.openGrant.execute(tx, prepared, requested.audience, session);
  }

  /** What travels through the browser, after the commit. Never rejects. */
  async finish(opened: OpenedAnswer): Promise<AuthorizationAnswer> {
    return await this.finishAnswer.execute(opened);
  }
}
