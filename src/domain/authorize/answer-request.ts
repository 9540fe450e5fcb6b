import { Injectable } from '@nestjs/common';
import { isUnknownHere, type BrowserApplication } from '../applications/application.js';
import { gives } from '../applications/oidc-config.js';
import { isFapi, MOST_FAPI_CODE_SECONDS } from '../applications/security-profile.js';
import { AuthorizationsStore, type VerifiedAuthorization } from '../authorizations/authorizations.store.js';
import { ClientRegistrationSettings } from '../client-registration/client-registration-settings.js';
import { ClientRegistrationsStore } from '../client-registration/client-registrations.store.js';
import { ConsentsStore } from '../consents/consents.store.js';
import { ManageConsents } from '../consents/manage-consents.js';
import { DEVICE_CODE_SECONDS, LAST_POLLS_SECONDS } from '../device-authorizations/device-authorization.js';
import { DeviceAuthorizationsStore } from '../device-authorizations/device-authorizations.store.js';
import { isMoreThan, type ManagementAccess } from '../permissions/management-access.js';
import { acrOfLevels } from '../sessions/acr.js';
import type { Session } from '../sessions/session.js';
import { ApiError, OAuthError } from '../shared/errors.js';
import type { AuthorizationId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomId, randomToken, sha256 } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { scopeBeyond } from '../tokens/allowed-scopes.js';
import { issueRequestOf, IssueTokens } from '../tokens/issue-tokens.js';
import { RequestedAudience, type Requested } from '../tokens/requested-audience.js';
import { TokenSettings } from '../tokens/token-settings.js';
import { AdmitUser, type RequiredOrganization } from './admit-user.js';
import type { AuthorizationRequest } from './auth-request.js';

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

/** A grant that is open once its transaction commits, and what the answer is made from. */
export interface OpenedAnswer {
  readonly request: AuthorizationRequest;
  readonly application: BrowserApplication;
  readonly grant: VerifiedAuthorization;
  /** Present when the response type asks for one. */
  readonly code?: string;
}

/** What goes to the application's redirect URI; state and issuer are added where it is sent. */
export type AuthorizationAnswer = { readonly request: AuthorizationRequest } & (
  { readonly parameters: Readonly<Record<string, string>> } | { readonly refusal: OAuthError }
);

/**
 * Answers a request that a session satisfies, in three steps: `prepare` reads before any transaction, `open` writes
 * within one, and `finish` signs after it, so that no connection waits for a signature and no token exists for a
 * grant that was never committed.
 */
@Injectable()
export class AnswerRequest {
  constructor(
    private readonly authorizations: AuthorizationsStore,
    private readonly requestedAudience: RequestedAudience,
    private readonly admitUser: AdmitUser,
    private readonly consents: ConsentsStore,
    private readonly manageConsents: ManageConsents,
    private readonly devices: DeviceAuthorizationsStore,
    private readonly registrations: ClientRegistrationsStore,
    private readonly registration: ClientRegistrationSettings,
    private readonly issueTokens: IssueTokens,
    private readonly settings: TokenSettings,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
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
    const isRegistered = (application.registration ?? null) !== null;
    if (tx === undefined && (isDevice || isRegistered || (api !== undefined && !api.firstParty))) {
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
    if (tx !== undefined && isRegistered) {
      await this.registrations.noteUse(tx, application.id, this.registration.unusedSeconds);
    }
    return await this.openGrant(tx, prepared, requested.audience, session);
  }

  private async openGrant(
    tx: Tx | undefined,
    { request, application }: PreparedAnswer,
    audience: readonly string[],
    session: Session,
  ): Promise<OpenedAnswer | undefined> {
    const id = randomId() as AuthorizationId;
    const code = gives(request.responseType, 'code') ? randomToken(32) : undefined;
    const { deviceAuthorizationId } = request;
    const grant = await this.authorizations.open(tx, {
      id,
      orgId: session.orgId,
      userId: session.userId,
      applicationId: application.id,
      sessionId: session.id,
      scopes: request.scopes,
      audience,
      nonce: request.nonce ?? null,
      acr: acrOfLevels(request.acrValues ?? []),
      claims: request.claims ?? null,
      code:
        code === undefined
          ? null
          : {
              hash: sha256(code),
              // nobody has a device's, and it asks for as long as it may
              seconds:
                deviceAuthorizationId === undefined
                  ? this.codeSecondsOf(application)
                  : DEVICE_CODE_SECONDS + LAST_POLLS_SECONDS,
              challenge: request.codeChallenge ?? null,
              redirectUri: request.redirectUri,
              dpopJkt: request.dpopJkt ?? null,
            },
    });
    if (grant === undefined) return undefined;
    if (deviceAuthorizationId !== undefined) {
      if (tx === undefined || code === undefined) throw new Error('a device is answered in a transaction');
      const approval = { userId: session.userId, codeHash: sha256(code) };
      // of two browsers that agree at once one is too late, and what it opened is undone with its transaction
      if (!(await this.devices.approve(tx, deviceAuthorizationId, approval))) return undefined;
    }
    return { request, application, grant, ...(code === undefined ? {} : { code }) };
  }

  /**
   * Mints what travels through the browser. Never rejects: the sign-in is committed by now, and an error in its place
   * would cost the browser its new secret. What goes wrong is the application's to hear.
   */
  async finish(opened: OpenedAnswer): Promise<AuthorizationAnswer> {
    const { request } = opened;
    try {
      return { request, parameters: await this.parametersOf(opened) };
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unavailable') {
        return { request, refusal: new OAuthError('temporarily_unavailable', 'temporarily unavailable') };
      }
      if (error instanceof OAuthError) return { request, refusal: error };
      this.log.error('a sign-in could not be answered', error, {
        authorizationId: opened.grant.authorizationId,
      });
      return { request, refusal: new OAuthError('server_error', 'internal error') };
    }
  }

  private codeSecondsOf(application: BrowserApplication): number {
    const { codeSeconds } = this.settings;
    return isFapi(application) ? Math.min(codeSeconds, MOST_FAPI_CODE_SECONDS) : codeSeconds;
  }

  private async parametersOf({
    request,
    application,
    grant,
    code,
  }: OpenedAnswer): Promise<Readonly<Record<string, string>>> {
    const coded = code === undefined ? {} : { code };
    const parts = {
      accessToken: gives(request.responseType, 'token'),
      idToken: gives(request.responseType, 'id_token'),
    };
    if (!parts.accessToken && !parts.idToken) return coded;
    const asked = issueRequestOf(application, grant, grant.scopes);
    const issued = await this.issueTokens.issueInFront(asked, { ...parts, ...coded });
    const idToken = issued.idToken === undefined ? {} : { id_token: issued.idToken };
    // beside a code alone there is nothing else to tell (OpenID Connect Core §3.3.2.5)
    if (code !== undefined && !parts.accessToken) return { ...coded, ...idToken };
    // only the access token is conditional in the answer of protocol §8.2, so an ID token alone has the other three as well; OpenID
    // Connect Core §3.2.2.5 leaves them out there, and clients must ignore what they do not know (RFC 6749 §4.2.2)
    return {
      ...coded,
      ...(issued.accessToken === undefined ? {} : { access_token: issued.accessToken }),
      token_type: 'Bearer',
      expires_in: String(issued.expiresIn),
      ...idToken,
      scope: asked.scopes.join(' '),
    };
  }
}
