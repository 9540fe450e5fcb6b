import { Injectable } from '@nestjs/common';
import { isUnknownHere, type BrowserApplication } from '../applications/application.js';
import { ConsentsStore } from '../consents/consents.store.js';
import { ManageConsents } from '../consents/manage-consents.js';
import { isMoreThan, type ManagementAccess } from '../permissions/management-access.js';
import type { Session } from '../sessions/session.js';
import { OAuthError } from '../shared/errors.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { scopeBeyond } from '../tokens/allowed-scopes.js';
import { RequestedAudience, type Requested } from '../tokens/requested-audience.js';
import { AdmitUser, type RequiredOrganization } from './admit-user.js';
import type { AuthorizationRequest } from './auth-request.js';
import { FinishAnswer, type AuthorizationAnswer } from './finish-answer.js';
import { isRegistered, OpenGrant, type OpenedAnswer } from './open-grant.js';

/** A request with all that its answer needs beside a session. */
export interface PreparedAnswer {
  readonly request: AuthorizationRequest;
  readonly application: BrowserApplication;
  readonly requested: Requested;
  readonly organization: RequiredOrganization | undefined;
}

/**
 * The user has not agreed yet to what the application may do on the service's own APIs, or to what a device or an application
 * that nobody here vouches for gets, which may be `none` of them: they are asked first.
 */
export interface ConsentNeeded {
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
    private readonly consents: ConsentsStore,
    private readonly manageConsents: ManageConsents,
    private readonly openGrant: OpenGrant,
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
   * Whether the user has to agree first, before anything is written: the application asks for the service's own
   * audience, is not the service's own, and they have not agreed to what it may do by now; or the request wants them to
   * be asked again; or nobody here vouches for it, and they have not agreed to be signed in with these scopes. For a device they are asked each time: somebody else may have sent them the code (RFC 8628 §5.4).
   *
   * @param tx in which what they agreed to is locked until it ends, so that it is not withdrawn behind the answer's
   * back
   * @param agreed what they have just agreed to
   */
  async consentNeeded(
    tx: Tx,
    { request, requested, application, organization }: PreparedAnswer,
    session: Session,
    agreed?: ManagementAccess,
  ): Promise<ManagementAccess | undefined> {
    if ('refusal' in requested) return undefined;
    const isDevice = request.deviceAuthorizationId !== undefined;
    const { api } = requested;
    // nobody need agree to an application of the service's own, but on a device, which may be somebody else's
    const access = api === undefined || (api.firstParty && !isDevice) ? 'none' : api.access;
    const isUnknown = isUnknownHere(application);
    if (access === 'none' && !isDevice && !isUnknown) return undefined;
    // nobody is asked to agree to what they will not get
    if ((await this.admitUser.refusal(tx, application, organization, session)) !== undefined)
      return undefined;
    if (isDevice && agreed === undefined) return access;
    const asksAgain = agreed === undefined && request.prompts.includes('consent');
    const given =
      agreed ?? (asksAgain ? 'none' : await this.consents.lockForUpdate(tx, session.userId, application.id));
    if (isMoreThan(access, given)) return access;
    if (!isUnknown || agreed !== undefined) return undefined;
    const { id } = application;
    const isAgreed = !asksAgain && (await this.consents.lockSignIn(tx, session.userId, id, request.scopes));
    return isAgreed ? undefined : access;
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
      const consent = await this.consentNeeded(tx, prepared, session, agreed);
      if (consent !== undefined) return { consent };
    }
    const isGiven = isUnknown || (api !== undefined && !api.firstParty);
    if (tx !== undefined && isGiven && agreed !== undefined) {
      const { orgId, userId } = session;
      const place = { orgId, userId, applicationId: application.id };
      const scopes = isUnknown ? request.scopes : [];
      if (!(await this.manageConsents.give(tx, place, api?.access ?? 'none', scopes))) return undefined;
    }
    return await this.openGrant.execute(tx, prepared, requested.audience, session);
  }

  /** What travels through the browser, after the commit. Never rejects. */
  async finish(opened: OpenedAnswer): Promise<AuthorizationAnswer> {
    return await this.finishAnswer.execute(opened);
  }
}
