import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { actorsOf, chainOf, type Actor } from '../authorizations/actor.js';
import { AuthorizationsStore } from '../authorizations/authorizations.store.js';
import type { Confirmation } from '../authorizations/confirmation.js';
import { mergedLineage, type TokenLineage } from '../authorizations/token-lineage.js';
import { SUPPORTED_CLIENT_AUTH_METHODS } from '../client-auth/authenticate-client.js';
import { OAuthError } from '../shared/errors.js';
import type { AuthorizationId } from '../shared/ids.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { randomId } from '../shared/random.js';
import { ResourceIndicators } from '../tokens/audience/resource-indicators.js';
import { issueRequestOf } from '../tokens/issue-tokens.js';
import { TokenSettings } from '../tokens/token-settings.js';
import { ExchangeParties, refusedSubject } from './exchange/exchange-parties.js';
import { ExchangeReach } from './exchange/exchange-reach.js';
import { readExchangeRequest } from './exchange/exchange-request.js';
import type { ExchangedToken } from './exchange/exchanged-token.js';
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
  override readonly clientAuthMethods = SUPPORTED_CLIENT_AUTH_METHODS;

  constructor(
    private readonly parties: ExchangeParties,
    private readonly reach: ExchangeReach,
    private readonly authorizations: AuthorizationsStore,
    private readonly settings: TokenSettings,
    private readonly resources: ResourceIndicators,
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
    const { subject, actor, right } = await this.parties.read(request, application, confirmation);
    const { audience, scopes } = await this.reach.of(request, application, subject, actor);
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
