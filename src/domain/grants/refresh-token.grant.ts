import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { isFapi } from '../applications/security-profile.js';
import { AuthorizationsStore, type RefreshTokenRecord } from '../authorizations/authorizations.store.js';
import { missing, type Confirmation } from '../authorizations/confirmation.js';
import { SUPPORTED_CLIENT_AUTH_METHODS } from '../client-auth/authenticate-client.js';
import { OAuthError } from '../shared/errors.js';
import { Log } from '../shared/log.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { ProjectAudience } from '../tokens/audience/project-audience.js';
import { issueRequestOf } from '../tokens/issue-tokens.js';
import { parseScopes } from '../tokens/scopes/scopes.js';
import { lifetimesOf } from '../tokens/token-lifetimes.js';
import { TokenSettings } from '../tokens/token-settings.js';
import { ApplicationGrantType, type GrantOutcome } from './grant-type.js';
import {
  isRefreshToken,
  makeRefreshToken,
  openSuccessor,
  refreshTokenHash,
  sealSuccessor,
} from './refresh-token.js';

const MOST_TRIES = 3;
const INVALID = 'refresh_token is invalid or expired';

/**
 * grant_type `refresh_token` (RFC 6749 §6, RFC 9700 §4.14.2). A token rotates at each use, in one statement. A
 * retry within the grace window gets the same successor, never a sibling; any other second use is a replay and ends
 * the grant. Under FAPI 2.0 a token stays the one it is: its client has a key, so that a stolen token is good for nothing, and
 * an answer that is lost on the way ends nothing (Security Profile §5.3.2.1).
 */
@Injectable()
export class RefreshTokenGrant extends ApplicationGrantType {
  override readonly type = 'refresh_token';
  override readonly narrows = true;
  override readonly clientAuthMethods = SUPPORTED_CLIENT_AUTH_METHODS;

  constructor(
    private readonly authorizations: AuthorizationsStore,
    private readonly audience: ProjectAudience,
    private readonly settings: TokenSettings,
    private readonly log: Log,
  ) {
    super();
  }

  /** A token that is used up for nothing would be taken for a replay when it comes again. */
  override async grantedAudience(
    { id }: Application,
    parameters: OAuthParameters,
  ): Promise<readonly string[] | undefined> {
    const presented = parameters.require('refresh_token');
    if (!isRefreshToken(presented)) return undefined;
    const record = await this.authorizations.findRefreshToken(refreshTokenHash(presented));
    return record?.applicationId === id ? record.authorization.audience : undefined;
  }

  override async verify(
    application: Application,
    parameters: OAuthParameters,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome> {
    const presented = parameters.require('refresh_token');
    const asked = parameters.get('scope');
    const scopes = asked === undefined ? null : parseScopes(asked);
    if (scopes?.length === 0 || scopes === undefined) {
      throw new OAuthError('invalid_scope', 'scope is malformed');
    }
    if (!isRefreshToken(presented)) throw new OAuthError('invalid_grant', INVALID, 'not a refresh token');
    // before the token is used up: what was taken away may not be asked for; unasked it is left out
    if (scopes !== null) await this.audience.require(application.orgId, application.projectId, scopes);

    // what another request had used up can have been given back in between
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const outcome =
        (await this.firstUse(application, presented, scopes, confirmation)) ??
        (await this.retryOrRefuse(application, presented, scopes, confirmation));
      if (outcome !== undefined) return outcome;
    }
    throw new OAuthError('invalid_grant', INVALID, 'ended while it was being used');
  }

  private async firstUse(
    application: Application,
    presented: string,
    scopes: readonly string[] | null,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome | undefined> {
    return isFapi(application)
      ? await this.renew(application, refreshTokenHash(presented), scopes, confirmation)
      : await this.rotate(application, presented, scopes, confirmation);
  }

  private async renew(
    application: Application,
    hash: Buffer,
    scopes: readonly string[] | null,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome | undefined> {
    const authorization = await this.authorizations.renew({
      hash,
      applicationId: application.id,
      scopes,
      confirmation: confirmation ?? null,
      idleSeconds: lifetimesOf(application, this.settings).refreshIdleSeconds,
    });
    return (
      authorization && { tokens: issueRequestOf(application, authorization, scopes ?? authorization.scopes) }
    );
  }

  private async rotate(
    application: Application,
    presented: string,
    scopes: readonly string[] | null,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome | undefined> {
    const hash = refreshTokenHash(presented);
    const successor = makeRefreshToken();
    const successorHash = refreshTokenHash(successor);
    const authorization = await this.authorizations.rotate({
      hash,
      applicationId: application.id,
      scopes,
      successorHash,
      successorSealed: this.settings.refreshGraceSeconds === 0 ? null : sealSuccessor(presented, successor),
      confirmation: confirmation ?? null,
      idleSeconds: lifetimesOf(application, this.settings).refreshIdleSeconds,
    });
    if (authorization === undefined) return undefined;
    return {
      tokens: issueRequestOf(application, authorization, scopes ?? authorization.scopes),
      refreshToken: successor,
      undo: () => this.authorizations.undoRotation(hash, successorHash),
    };
  }

  /** @returns undefined where it has not been used after all */
  private async retryOrRefuse(
    application: Application,
    presented: string,
    scopes: readonly string[] | null,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome | undefined> {
    const record = await this.authorizations.findRefreshToken(refreshTokenHash(presented));
    if (record === undefined) throw new OAuthError('invalid_grant', INVALID, 'unknown token');
    if (record.applicationId !== application.id) {
      throw new OAuthError('invalid_grant', INVALID, 'issued to another client');
    }
    // before anything is revealed or ended: the token alone must not be enough (RFC 9449 §5)
    if (record.confirmation !== null && record.confirmation !== confirmation) {
      throw new OAuthError('invalid_grant', `refresh_token is ${missing(record.confirmation)}`);
    }
    const beyond = (scopes ?? []).find((scope) => !record.scopes.includes(scope));
    if (record.used && !this.isWithinGrace(record)) {
      if (await this.authorizations.revoke(record.authorizationId, 'refresh_token_replayed')) {
        this.log.warn('refresh token replayed, grant ended', { authorizationId: record.authorizationId });
      }
      throw new OAuthError('invalid_grant', INVALID, 'replayed');
    }
    if (!record.alive) throw new OAuthError('invalid_grant', INVALID, 'expired, revoked, or user inactive');
    if (beyond !== undefined) throw new OAuthError('invalid_scope', 'scope exceeds what was granted');
    // alive now, and not when we tried: the next try decides
    if (!record.used || record.successorSealed === null) return undefined;
    const refreshToken = openSuccessor(presented, record.successorSealed);
    // before anything is revealed: the request that created the successor may be about to undo it
    const successorHash = refreshTokenHash(refreshToken);
    if (!(await this.authorizations.handOutAgain(successorHash))) return undefined;
    return {
      tokens: issueRequestOf(application, record.authorization, scopes ?? record.scopes),
      refreshToken,
      undo: () => this.authorizations.undoRotation(refreshTokenHash(presented), successorHash),
    };
  }

  private isWithinGrace(record: RefreshTokenRecord): boolean {
    if (record.usedSecondsAgo === undefined || record.successorUsed || record.successorSealed === null)
      return false;
    return record.usedSecondsAgo < this.settings.refreshGraceSeconds;
  }
}
