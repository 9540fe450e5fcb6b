import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { TLS_AUTH_METHODS } from '../applications/oidc-config.js';
import { actorsOf, chainOf, type Actor } from '../authorizations/actor.js';
import { AuthorizationsStore } from '../authorizations/authorizations.store.js';
import { missing, type Confirmation } from '../authorizations/confirmation.js';
import { mergedLineage, type TokenLineage } from '../authorizations/token-lineage.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { rolesToImpersonate } from '../permissions/impersonation.js';
import { PoliciesStore } from '../policies/policies.store.js';
import { defaultSecuritySettings } from '../policies/security-settings.js';
import { OAuthError, OAuthForbiddenError } from '../shared/errors.js';
import type { AuthorizationId } from '../shared/ids.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { randomId } from '../shared/random.js';
import { issueRequestOf } from '../tokens/issue-tokens.js';
import { ProjectAudience, scopesWithin } from '../tokens/project-audience.js';
import { ProjectChecks } from '../tokens/project-checks.js';
import { RequestedAudience } from '../tokens/requested-audience.js';
import { ResourceIndicators } from '../tokens/resource-indicators.js';
import { STANDARD_SCOPES } from '../tokens/scopes.js';
import { TokenSettings } from '../tokens/token-settings.js';
import { readExchangeRequest, type ExchangeRequest } from './exchange/exchange-request.js';
import type { ExchangedToken } from './exchange/exchanged-token.js';
import { ReadExchangedToken } from './exchange/read-exchanged-token.js';
import { TOKEN_TYPE_JWT } from './exchange/token-types.js';
import { ApplicationGrantType, type GrantOutcome } from './grant-type.js';
import { firstOfFamily, makeRefreshToken } from './refresh-token.js';

/** Whoever acts for one who acts for one … */
const MOST_ACTORS = 5;
/** An exchange of what an exchange gave, and so on: all of it is looked at whenever the last token is. */
const MOST_GENERATIONS = 10;

/**
 * grant_type `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693): another token for the same subject, or one
 * for a subject that somebody acts for, who then stays in it as `act` for as long as anything comes of it. What comes
 * out reaches no further than what went in, and ends with it. Whoever acts needs the instance's leave and a role in
 * the subject's organization; every subject that may not be acted for is refused in the same words as one that does
 * not exist, and the log knows more.
 */
@Injectable()
export class TokenExchangeGrant extends ApplicationGrantType {
  override readonly type = 'urn:ietf:params:oauth:grant-type:token-exchange';
  override readonly mayRepeat = ['audience'];
  override readonly clientAuthMethods = [
    'client_secret_basic',
    'client_secret_post',
    'none',
    'private_key_jwt',
    ...TLS_AUTH_METHODS,
  ] as const;

  constructor(
    private readonly readExchangedToken: ReadExchangedToken,
    private readonly authorizations: AuthorizationsStore,
    private readonly roles: EffectiveRoles,
    private readonly projectAudience: ProjectAudience,
    private readonly requestedAudience: RequestedAudience,
    private readonly policies: PoliciesStore,
    private readonly settings: TokenSettings,
    private readonly resources: ResourceIndicators,
    private readonly projectChecks: ProjectChecks,
  ) {
    super();
  }

  override async verify(
    application: Application,
    parameters: OAuthParameters,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome> {
    const resources = this.resources.isServed
      ? await this.resources.named(application.orgId, parameters)
      : undefined;
    const request = readExchangeRequest(parameters, resources);
    const actor = request.actor && (await this.readActor(request.actor, application));
    const { type, token } = request.subject;
    const subject = await this.readExchangedToken.subject(type, token, application);
    if (subject === undefined) throw refusedSubject('not a live token of this client, or no such user');
    for (const one of [subject, actor]) requireProofOf(one?.confirmation, application, confirmation);
    // whom a project keeps from signing in comes to its applications by no other's token either
    const problem = await this.projectChecks.problem(undefined, application, subject);
    if (problem !== undefined) throw refusedSubject(problem);
    const right = actor && (await this.rightToAct(actor, subject));

    const audience = await this.audienceWithin(request, application, subject, actor);
    const scopes = await this.scopesWithin(request, application, audience, subject, actor);
    await this.requireMayHold(request.scopes ?? [], audience, application, subject);
    const refreshToken =
      scopes.includes('offline_access') && application.grantTypes.includes('refresh_token')
        ? makeRefreshToken()
        : undefined;
    const { authTime, amr, acr } = actor ?? subject;
    const authorization = await this.authorizations.openExchange({
      id: randomId() as AuthorizationId,
      userId: subject.userId,
      subjectEpoch: subject.epoch,
      applicationId: application.id,
      scopes,
      audience,
      authTime,
      amr,
      acr,
      actor: this.chain(subject, actor) ?? null,
      lineage: lineageOf(subject, actor, right),
      accessTokenType: request.requestedType === TOKEN_TYPE_JWT ? 'jwt' : 'opaque',
      impersonatedBy: actor?.userId ?? null,
      refreshToken: firstOfFamily(refreshToken, application, this.settings, confirmation),
    });
    if (authorization === undefined) throw refusedSubject('something ended while it was being exchanged');
    return {
      tokens: issueRequestOf(application, authorization, scopes),
      exchangedFor: request.requestedType,
      ...(refreshToken === undefined ? {} : { refreshToken }),
    };
  }

  /**
   * Who holds a token for the service's own APIs could pass it to an application that was never given any access, and
   * have it exchanged there: that gains nothing (security S181).
   *
   * @throws OAuthError invalid_scope, invalid_target
   */
  private async requireMayHold(
    scopes: readonly string[],
    audience: readonly string[],
    application: Application,
    { userId }: ExchangedToken,
  ): Promise<void> {
    const named = await this.requestedAudience.namedBy(scopes);
    if (!(await this.requestedAudience.mayHold(named, application, userId))) {
      throw new OAuthError(
        'invalid_scope',
        "the application may not act on the service's own APIs for the user",
      );
    }
    if (!(await this.requestedAudience.mayHold(audience, application, userId))) {
      throw new OAuthError(
        'invalid_target',
        "the application may not act on the service's own APIs for the user; name another audience",
      );
    }
  }

  private async readActor(
    { type, token }: NonNullable<ExchangeRequest['actor']>,
    application: Application,
  ): Promise<ExchangedToken> {
    const { enableImpersonation } =
      (await this.policies.findSettings('security'))?.policy ?? defaultSecuritySettings;
    if (!enableImpersonation) {
      throw new OAuthForbiddenError(
        'invalid_request',
        'Errors.TokenExchange.Impersonation.PolicyDisabled',
        'impersonation is switched off',
      );
    }
    const actor = await this.readExchangedToken.actor(type, token, application);
    if (actor !== undefined) return actor;
    throw new OAuthError('invalid_request', 'actor_token invalid', 'not a live token of this client');
  }

  private async rightToAct(actor: ExchangedToken, subject: ExchangedToken): Promise<Partial<TokenLineage>> {
    const [acting, held, target] = await Promise.all([
      this.authorizations.findActiveUser(actor.userId),
      // whoever signs in to an application lends it no role that it was not given access to (security S181)
      this.roles.toActWith({ actorId: actor.userId, through: actor.through }),
      this.authorizations.findActiveUser(subject.userId),
    ]);
    const roles = acting && target && rolesToImpersonate(held, target);
    if (roles === undefined) throw refusedSubject('the actor has no right to act for the subject');
    return {
      users: [{ userId: actor.userId, epoch: actor.epoch }],
      roles: roles.map((role) => ({ userId: actor.userId, ...role })),
      subjects: [{ userId: subject.userId, roles: target?.roles ?? [] }],
    };
  }

  /**
   * Of what the tokens are for, what this client's organization may name: an exchange must not carry an audience to an
   * organization that could not ask for it. What is asked for by name and may not be had is refused, never left out.
   */
  private async audienceWithin(
    request: ExchangeRequest,
    { orgId, clientId, projectId }: Application,
    subject: ExchangedToken,
    actor: ExchangedToken | undefined,
  ): Promise<readonly string[]> {
    const wanted = audienceFor(request, subject, actor);
    const others = wanted.filter((one) => one !== clientId && one !== projectId);
    const reachable = await this.projectAudience.reachable(orgId, others);
    const beyond = others.find((one) => !reachable.has(one));
    if (beyond !== undefined && request.audience.length > 0) throw refusedTarget(beyond);
    const audience = wanted.filter((one) => one === clientId || one === projectId || reachable.has(one));
    return audience.length > 0 ? audience : [clientId];
  }

  private async scopesWithin(
    request: ExchangeRequest,
    { orgId, projectId }: Application,
    audience: readonly string[],
    subject: ExchangedToken,
    actor: ExchangedToken | undefined,
  ): Promise<readonly string[]> {
    const scopes = scopesFor(request, subject, actor);
    if (request.scopes === undefined) return scopesWithin(scopes, audience);
    await this.projectAudience.require(orgId, projectId, request.scopes);
    return scopes;
  }

  /** Who acts now, then who acted for them, then who acted for the subject before: nobody gets lost. */
  private chain(subject: ExchangedToken, actor: ExchangedToken | undefined): Actor | undefined {
    const iss = this.settings.issuer;
    const now = actor === undefined ? [] : [{ iss, sub: actor.userId }, ...actorsOf(actor.actor)];
    const actors = [...now, ...actorsOf(subject.actor)];
    if (actors.length > MOST_ACTORS) {
      throw new OAuthError('invalid_request', `no more than ${String(MOST_ACTORS)} may act one for another`);
    }
    return chainOf(actors);
  }
}

function lineageOf(
  subject: ExchangedToken,
  actor: ExchangedToken | undefined,
  right: Partial<TokenLineage> | undefined,
): TokenLineage {
  const lineage = mergedLineage([subject.lineage, actor?.lineage ?? {}, right ?? {}]);
  if (lineage.grants.length > MOST_GENERATIONS) {
    throw new OAuthError('invalid_request', 'the token was exchanged too often');
  }
  return lineage;
}

/** @throws OAuthError invalid_scope for more than what the tokens allow */
function scopesFor(
  { scopes }: ExchangeRequest,
  subject: ExchangedToken,
  actor: ExchangedToken | undefined,
): readonly string[] {
  if (scopes === undefined) return subject.scopes ?? actor?.scopes ?? [];
  // a user who brings no token brings no scopes: what a user can be asked for, whoever may act for them may ask for
  const brought = new Set([...(subject.scopes ?? STANDARD_SCOPES), ...(actor?.scopes ?? [])]);
  if (scopes.every((scope) => brought.has(scope))) return scopes;
  throw new OAuthError('invalid_scope', 'scope exceeds what subject and actor tokens have');
}

/** @throws OAuthError invalid_target for what the tokens are not for */
function audienceFor(
  { audience: asked }: ExchangeRequest,
  subject: ExchangedToken,
  actor: ExchangedToken | undefined,
): readonly string[] {
  const beyond = asked.find((one) => !subject.audiences.has(one) && actor?.audiences.has(one) !== true);
  if (beyond !== undefined) throw refusedTarget(beyond);
  if (asked.length > 0) return asked;
  return subject.audience.length > 0 ? subject.audience : (actor?.audience ?? []);
}

function refusedTarget(beyond: string): OAuthError {
  return new OAuthError(
    'invalid_target',
    'audience not found in subject or actor token',
    beyond.slice(0, 200),
  );
}

/** @param reason for the log alone */
function refusedSubject(reason: string): OAuthError {
  return new OAuthError('invalid_request', 'subject_token invalid', reason);
}

/**
 * A bound token that was stolen must not become another one that is not: a client that shows no secret has to have its key.
 * One with a secret may be the resource server that the token was sent to, which has it not.
 */
function requireProofOf(
  bound: Confirmation | undefined,
  { authMethod }: Application,
  confirmation: Confirmation | undefined,
): void {
  if (bound === undefined || authMethod !== 'none' || bound === confirmation) return;
  throw new OAuthError('invalid_request', `the token is ${missing(bound)}`);
}
