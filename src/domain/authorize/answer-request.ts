import { Injectable } from '@nestjs/common';
import { type Instance, InstanceStore } from '../orgs/instance.store.js';
import type { Application } from '../clients/application.js';
import type { Session } from '../sessions/session.js';
import { ApiError, OAuthError } from '../shared/errors.js';
import type { GrantId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomId, randomToken, sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { PASSWORD_ACR } from '../tokens/acr.js';
import { GrantsStore, type ProvenGrant } from '../tokens/grants.store.js';
import { issueRequestOf, IssueTokens } from '../tokens/issue-tokens.js';
import { ProjectAudience } from '../tokens/project-audience.js';
import { audienceProject } from '../tokens/scopes.js';
import { TokenSettings } from '../tokens/token-settings.js';
import { AdmitUser, type RequiredOrganization } from './admit-user.js';
import type { AuthorizationRequest } from './auth-request.js';

/** A request with all that its answer needs beside a session. */
export interface PreparedAnswer {
  readonly request: AuthorizationRequest;
  readonly application: Application;
  /** Ids of the projects asked for; what was taken away meanwhile is dropped when the grant is opened. */
  readonly audience: readonly string[];
  readonly instance: Instance;
  readonly organization: RequiredOrganization | undefined;
  /** Whoever signs in: the application may not have what it asks for. */
  readonly refusal?: OAuthError;
}

/** A grant that is open once its transaction commits, and what the answer is made from. */
export interface OpenedAnswer {
  readonly request: AuthorizationRequest;
  readonly application: Application;
  readonly grant: ProvenGrant;
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
    private readonly grants: GrantsStore,
    private readonly instance: InstanceStore,
    private readonly admitUser: AdmitUser,
    private readonly projectAudience: ProjectAudience,
    private readonly issueTokens: IssueTokens,
    private readonly settings: TokenSettings,
    private readonly log: Log,
  ) {}

  /**
   * Everything that is read happens here, before any transaction: a sign-in that held one connection and asked for a
   * second would, with as many others as the pool has connections, wait for ever.
   */
  async prepare(request: AuthorizationRequest, application: Application): Promise<PreparedAnswer> {
    const instance = await this.instance.read();
    const asked = request.scopes.flatMap((scope) => audienceProject(scope, instance.apiProjectId) ?? []);
    const organization = await this.admitUser.requiredOrganization(request.scopes);
    const audience = [application.projectId, ...asked];
    const refusal = await this.refusalOf(request, application);
    const prepared = { request, application, audience, instance, organization };
    return refusal === undefined ? prepared : { ...prepared, refusal };
  }

  /** Asked when a request arrives, before anybody signs in for nothing, and again when it is answered. */
  async refusalOf(request: AuthorizationRequest, application: Application): Promise<OAuthError | undefined> {
    try {
      await this.projectAudience.require(application.orgId, application.projectId, request.scopes);
      return undefined;
    } catch (error) {
      if (error instanceof OAuthError) return error;
      throw error;
    }
  }

  /** All that follows `prepare`, for a session that is there already. @returns undefined when it has ended meanwhile */
  async answer(prepared: PreparedAnswer, session: Session): Promise<AuthorizationAnswer | undefined> {
    const opened = await this.open(undefined, prepared, session);
    if (opened === undefined || !('grant' in opened)) return opened;
    return await this.finish(opened);
  }

  /**
   * Opens the grant, with a code where the response type has one, in the transaction of the caller if it has one.
   *
   * @returns undefined, with nothing written, when the session has ended meanwhile; a refusal where its user may not
   *   have this answer
   */
  async open(
    tx: Tx | undefined,
    { request, application, audience, instance, organization, ...prepared }: PreparedAnswer,
    session: Session,
  ): Promise<OpenedAnswer | AuthorizationAnswer | undefined> {
    const refusal =
      prepared.refusal ?? (await this.admitUser.refusal(tx, application, organization, session));
    if (refusal !== undefined) return { request, refusal };
    const id = randomId() as GrantId;
    const code = request.responseType === 'code' ? randomToken(32) : undefined;
    const grant = await this.grants.open(tx, {
      id,
      orgId: session.orgId,
      userId: session.userId,
      applicationId: application.id,
      sessionId: session.id,
      scopes: request.scopes,
      audience: audience.filter(
        (id) => id !== instance.apiProjectId || mayReachApi(application, session, instance),
      ),
      nonce: request.nonce ?? null,
      passwordAcr: PASSWORD_ACR,
      claims: request.claims ?? null,
      code:
        code === undefined
          ? null
          : {
              hash: sha256(code),
              seconds: this.settings.codeSeconds,
              challenge: request.codeChallenge ?? null,
              redirectUri: request.redirectUri,
            },
    });
    if (grant === undefined) return undefined;
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
      this.log.error('a sign-in could not be answered', error, { grantId: opened.grant.grantId });
      return { request, refusal: new OAuthError('server_error', 'internal error') };
    }
  }

  private async parametersOf({
    request,
    application,
    grant,
    code,
  }: OpenedAnswer): Promise<Readonly<Record<string, string>>> {
    const words = request.responseType.split(' ');
    const coded = code === undefined ? {} : { code };
    if (!words.includes('id_token')) return coded;
    const asked = issueRequestOf(application, grant, grant.scopes);
    const issued = await this.issueTokens.issueInFront(asked, {
      accessToken: words.includes('token'),
      ...coded,
    });
    // only the access token is conditional in spec.md's answer, so an ID token alone has the other three as well; OpenID
    // Connect Core §3.2.2.5 leaves them out there, and clients must ignore what they do not know (RFC 6749 §4.2.2)
    return {
      ...coded,
      ...(issued.accessToken === undefined ? {} : { access_token: issued.accessToken }),
      token_type: 'Bearer',
      expires_in: String(issued.expiresIn),
      id_token: issued.idToken,
      scope: asked.scopes.join(' '),
    };
  }
}

/**
 * There is no consent page, so a token for the service's own APIs only goes to an application of the user's own
 * organization, or of the one that runs the instance. Otherwise any owner of an organization could harvest an
 * administrator's token by a link.
 */
function mayReachApi(application: Application, session: Session, instance: Instance): boolean {
  return application.orgId === session.orgId || application.orgId === instance.defaultOrgId;
}
