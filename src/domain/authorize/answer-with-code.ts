import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { type Instance, InstanceStore } from '../orgs/instance.store.js';
import type { Application } from '../clients/application.js';
import type { Session } from '../sessions/session.js';
import type { GrantId } from '../shared/ids.js';
import { randomToken, sha256 } from '../shared/random.js';
import { type Tx, UnitOfWork } from '../shared/unit-of-work.js';
import { GrantsStore } from '../tokens/grants.store.js';
import { audienceProject } from '../tokens/scopes.js';
import { TokenSettings } from '../tokens/token-settings.js';
import type { AuthorizationRequest } from './auth-request.js';

/** A request with all that its answer needs beside a session. */
export interface PreparedAnswer {
  readonly request: AuthorizationRequest;
  readonly application: Application;
  /** Ids of the projects asked for; those that do not exist are dropped when the grant is opened. */
  readonly audience: readonly string[];
  readonly instance: Instance;
}

/** Opens the grant and its code for a request that a session satisfies. */
@Injectable()
export class AnswerWithCode {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly grants: GrantsStore,
    private readonly instance: InstanceStore,
    private readonly events: EventsStore,
    private readonly settings: TokenSettings,
  ) {}

  /**
   * Everything that is read happens here, before any transaction: a sign-in that held one connection and asked for a
   * second would, with as many others as the pool has connections, wait for ever.
   */
  async prepare(request: AuthorizationRequest, application: Application): Promise<PreparedAnswer> {
    const instance = await this.instance.read();
    const asked = request.scopes.flatMap((scope) => audienceProject(scope, instance.apiProjectId) ?? []);
    return { request, application, audience: [application.projectId, ...asked], instance };
  }

  /** @returns the code, or undefined when the session has ended meanwhile */
  async issue(prepared: PreparedAnswer, session: Session): Promise<string | undefined> {
    return await this.unitOfWork.run((tx) => this.open(tx, prepared, session));
  }

  /** The same within the transaction of a sign-in that this answer belongs to. */
  async open(
    tx: Tx,
    { request, application, audience, instance }: PreparedAnswer,
    session: Session,
  ): Promise<string | undefined> {
    const id = randomToken(16) as GrantId;
    const code = randomToken(32);
    const opened = await this.grants.open(tx, {
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
      acr: null,
      codeHash: sha256(code),
      codeSeconds: this.settings.codeSeconds,
      codeChallenge: request.codeChallenge ?? null,
      redirectUri: request.redirectUri,
    });
    if (!opened) return undefined;
    await this.events.append(tx, {
      orgId: session.orgId,
      aggregateType: 'grant',
      aggregateId: id,
      sequence: 1,
      type: 'grant.opened',
      actorId: session.userId,
      data: { clientId: application.clientId, sessionId: session.id },
    });
    return code;
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
