import { Injectable } from '@nestjs/common';
import type { Application } from '../../applications/application.js';
import {
  AuthorizationsStore,
  type ActiveUser,
  type ParentAuthorization,
} from '../../authorizations/authorizations.store.js';
import { Clock } from '../../shared/clock.js';
import { OAuthError } from '../../shared/errors.js';
import { isId, type OrgId, type UserId } from '../../shared/ids.js';
import { CheckAccessToken, type LiveToken } from '../../tokens/access-token/check-access-token.js';
import { CheckIdToken, type LiveIdToken } from '../../tokens/check-id-token.js';
import { PairwiseSubjects } from '../../tokens/claims/pairwise-subjects.js';
import { audienceBesideOwn, parseTokenId, type TokenId } from '../../tokens/token-id.js';
import type { ExchangedToken } from './exchanged-token.js';
import { ReadClientJwt } from './read-client-jwt.js';
import type { ActorTokenType, SubjectTokenType } from './token-types.js';

type Role = 'subject' | 'actor';

/**
 * Finds out whom a presented token speaks for. A token is taken from the client it was issued to, or from one that it
 * is addressed to; whoever else got hold of it could make it their own (RFC 8693 §5, RFC 9700 §2.3). Undefined for
 * whatever is not good, in any way.
 */
@Injectable()
export class ReadExchangedToken {
  constructor(
    private readonly checkAccessToken: CheckAccessToken,
    private readonly checkIdToken: CheckIdToken,
    private readonly authorizations: AuthorizationsStore,
    private readonly names: PairwiseSubjects,
    private readonly clientJwt: ReadClientJwt,
    private readonly clock: Clock,
  ) {}

  async subject(
    type: SubjectTokenType,
    token: string,
    client: Application,
  ): Promise<ExchangedToken | undefined> {
    if (type === 'user_id') return await this.ofUserId(token, client);
    if (type === 'jwt') {
      const named = await this.clientJwt.subject(token, client);
      return named === undefined ? undefined : await this.ofUserId(named, client);
    }
    return await this.ofToken(type, token, client, 'subject');
  }

  async actor(type: ActorTokenType, token: string, client: Application): Promise<ExchangedToken | undefined> {
    return await this.ofToken(type, token, client, 'actor');
  }

  private async ofToken(
    type: ActorTokenType,
    token: string,
    client: Application,
    role: Role,
  ): Promise<ExchangedToken | undefined> {
    if (type === 'id_token') return await this.ofIdToken(token, client, role);
    const live = await this.checkAccessToken.check(token, true);
    if (live === undefined) return undefined;
    if (live.kind === 'pat') return await this.ofPersonalAccessToken(live, client);
    return await this.ofAccessToken(live, client, role);
  }

  private async ofPersonalAccessToken(
    live: LiveToken,
    client: Application,
  ): Promise<ExchangedToken | undefined> {
    // made for no client: it is for every application of its owner's organization, as at introspection
    if (live.subject.orgId !== client.orgId) return undefined;
    const user = await this.authorizations.findActiveUser(live.subject.id);
    if (user === undefined) return undefined;
    return {
      ...exchangedTokenOf(user),
      scopes: live.scopes,
      authTime: live.issuedAt ?? this.clock.nowSeconds(),
      lineage: { personalAccessTokens: [live.jti] },
    };
  }

  private async ofAccessToken(
    live: LiveToken,
    client: Application,
    role: Role,
  ): Promise<ExchangedToken | undefined> {
    const { clientId, sessionId, context } = live;
    const id = parseTokenId(live.jti);
    if (id === undefined) return undefined;
    const audiences = new Set([...audienceBesideOwn(live), ...(context?.clientIds ?? [])]);
    const isServiceUsers = id.authorizationId === null;
    const isForClient =
      (clientId === client.clientId && !isServiceUsers) ||
      audiences.has(client.clientId) ||
      audiences.has(client.projectId);
    // what a service user got for itself and for nobody else can only have come from itself
    const isItsOwn = role === 'actor' && isServiceUsers && audiences.size === 0;
    if (!isForClient && !isItsOwn) return undefined;
    requireNoUnmasking(live, client);
    const parent = await this.parentOf(id);
    return {
      ...ownerOf(live, id, parent),
      scopes: live.scopes,
      audience: audienceBesideOwn(live),
      audiences,
      authTime: parent?.authTime ?? live.issuedAt ?? this.clock.nowSeconds(),
      amr: parent?.amr ?? [],
      lineage: {
        ...lineageOf(id, parent, sessionId),
        tokens: [...(parent?.lineage?.tokens ?? []), live.jti],
      },
    };
  }

  private async ofIdToken(
    token: string,
    client: Application,
    role: Role,
  ): Promise<ExchangedToken | undefined> {
    const live: LiveIdToken | undefined = await this.checkIdToken.check(token);
    const id = live && parseTokenId(live.jti);
    if (live === undefined || id === undefined) return undefined;
    // a service user's own is for the user alone, whatever the user is called
    const isServiceUsers = id.authorizationId === null;
    if (isServiceUsers ? role !== 'actor' : !live.audience.includes(client.clientId)) return undefined;
    requireNoUnmasking(live, client);
    const parent = await this.parentOf(id);
    const audience = isServiceUsers ? [] : live.audience;
    // a grant without offline_access ends with its session, though the ID token may not name that
    const session =
      parent === undefined || parent.scopes.includes('offline_access') ? null : parent.sessionId;
    return {
      ...ownerOf(live, id, parent),
      scopes: parent?.scopes ?? ['openid'],
      audience,
      audiences: new Set(audience),
      authTime: parent?.authTime ?? live.authTime,
      amr: parent?.amr ?? live.amr,
      lineage: lineageOf(id, parent, session ?? undefined),
    };
  }

  private async parentOf({ authorizationId }: TokenId): Promise<ParentAuthorization | undefined> {
    return authorizationId === null ? undefined : await this.authorizations.findParent(authorizationId);
  }

  /** @param named as the client knows the user; by id, too, which it has from elsewhere */
  private async ofUserId(named: string, client: Application): Promise<ExchangedToken | undefined> {
    const userId = this.names.userNamed(client, named) ?? named;
    if (!isId(userId)) return undefined;
    const user = await this.authorizations.findActiveUser(userId);
    return user && { ...exchangedTokenOf(user), authTime: this.clock.nowSeconds() };
  }
}

/**
 * A token issued to an application with pairwise subjects must not be exchanged by one with public subjects: it would
 * reveal the ids of its users and actors. @throws OAuthError
 */
function requireNoUnmasking({ pairwiseSector }: LiveToken | LiveIdToken, client: Application): void {
  if (pairwiseSector === undefined || client.pairwiseSector != null) return;
  throw new OAuthError(
    'invalid_request',
    'a token of an application with pairwise subjects is exchanged by such applications alone',
  );
}

/** Whom a token speaks for, and who acts for them by what key. */
function ownerOf(
  { subject, applicationId, actor, confirmation }: LiveToken | LiveIdToken,
  { subjectEpoch }: TokenId,
  parent: ParentAuthorization | undefined,
) {
  return {
    userId: subject.id as UserId,
    orgId: subject.orgId as OrgId,
    epoch: subjectEpoch,
    through: applicationId ?? null,
    acr: parent?.acr ?? null,
    ...(actor === undefined ? {} : { actor }),
    ...(confirmation === undefined ? {} : { confirmation }),
  };
}

/** Grants and sessions whose end also ends the token, and so the tokens exchanged for it. */
function lineageOf(
  { authorizationId }: TokenId,
  parent: ParentAuthorization | undefined,
  sessionId: string | undefined,
): ExchangedToken['lineage'] {
  const { lineage } = parent ?? {};
  return {
    ...lineage,
    grants: [...(lineage?.grants ?? []), ...(authorizationId === null ? [] : [authorizationId])],
    sessions: [...(lineage?.sessions ?? []), ...(sessionId === undefined ? [] : [sessionId])],
  };
}

/** Somebody who brings nothing along. */
function exchangedTokenOf({ userId, orgId, tokenEpoch }: ActiveUser): Omit<ExchangedToken, 'authTime'> {
  return {
    userId,
    orgId,
    epoch: tokenEpoch,
    through: null,
    scopes: null,
    audience: [],
    audiences: new Set(),
    amr: [],
    acr: null,
    lineage: {},
  };
}
