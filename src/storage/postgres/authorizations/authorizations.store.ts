import { Injectable } from '@nestjs/common';
import {
  AuthorizationsStore,
  type ActiveUser,
  type AuthorizationOwner,
  type CodeRecord,
  type CodeRedemption,
  type NewAuthorization,
  type NewExchange,
  type ParentAuthorization,
  type RefreshRenewal,
  type RefreshRotation,
  type RefreshTokenRecord,
  type VerifiedAuthorization,
} from '../../../domain/authorizations/authorizations.store.js';
import type { Confirmation } from '../../../domain/authorizations/confirmation.js';
import type { TokenLineage } from '../../../domain/authorizations/token-lineage.js';
import type { ApplicationId, AuthorizationId, SessionId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Query } from '../query.js';
import { Sql } from '../sql.js';
import { pick } from '../table.js';
import {
  CODE,
  codeByHash,
  OPEN,
  OPEN_BY,
  OPENED,
  REDEEM,
  REDEEM_BY,
  UNDO_REDEMPTION,
} from './code-statements.js';
import {
  EXCHANGE_BY,
  EXCHANGED,
  FIND_ACTIVE_USER,
  FIND_PARENT,
  FIRST_TOKEN,
  OPEN_EXCHANGE,
} from './exchange-statements.js';
import {
  FIND_REFRESH_TOKEN,
  HAND_OUT_AGAIN,
  RENEW,
  REVOKE_BY_REFRESH_TOKEN,
  ROTATE,
  ROTATE_BY,
  UNDO_ROTATION,
} from './refresh-token-statements.js';
import { REVOKE, REVOKE_FOR_API, REVOKE_FOR_API_OF_USER, REVOKE_HELD } from './revoke-statements.js';
import { toVerified, type VerifiedRow } from './verified-authorization.js';

@Injectable()
export class PgAuthorizationsStore extends AuthorizationsStore {
  private readonly codes: Query<CodeRecord, { readonly hash: Buffer }>;

  constructor(private readonly sql: Sql) {
    super();
    this.codes = new Query(sql, 'authorizations-find-code', codeByHash);
  }

  override async open(
    tx: Tx | undefined,
    grant: NewAuthorization,
  ): Promise<VerifiedAuthorization | undefined> {
    const { id, userId, applicationId, sessionId, audience, acr, scopes, nonce, code } = grant;
    const claims = grant.claims && { userinfo: grant.claims.userinfo, id_token: grant.claims.idToken };
    const values = [
      ...OPEN_BY.valuesOf({
        id,
        userId,
        applicationId,
        sessionId,
        audience,
        acr,
        codeSeconds: code?.seconds ?? 0,
      }),
      ...OPENED.valuesOf({ scopes, nonce, claims }),
      ...CODE.valuesOf({
        hash: code?.hash,
        redirectUri: code?.redirectUri,
        codeChallenge: code?.challenge,
        dpopJkt: code?.dpopJkt,
      }),
    ];
    const row = await this.sql.row<VerifiedRow>(OPEN, values, tx);
    return row === undefined ? undefined : toVerified(row);
  }

  override async redeemCode(redemption: CodeRedemption): Promise<VerifiedAuthorization | undefined> {
    const refresh = redemption.firstRefreshToken;
    const values = REDEEM_BY.valuesOf({
      ...pick(redemption, ['codeHash', 'applicationId', 'redirectUri', 'codeChallenge', 'confirmation']),
      refreshHash: refresh?.hash ?? null,
      idleSeconds: refresh?.idleSeconds ?? 0,
      absoluteSeconds: refresh?.absoluteSeconds ?? 0,
      familyConfirmation: refresh?.confirmation ?? null,
    });
    const row = await this.sql.row<VerifiedRow>(REDEEM, values);
    return row === undefined ? undefined : toVerified(row);
  }

  override async undoRedemption(codeHash: Buffer): Promise<void> {
    await this.sql.change(UNDO_REDEMPTION, [codeHash]);
  }

  override async findCode(codeHash: Buffer): Promise<CodeRecord | undefined> {
    return await this.codes.row({ hash: codeHash });
  }

  override async rotate(rotation: RefreshRotation): Promise<VerifiedAuthorization | undefined> {
    const values = ROTATE_BY.valuesOf(rotation);
    // a pipelined connection repeats a statement whose answer was lost; without a sealed successor, the repetition would look like a
    // replay
    const row =
      rotation.successorSealed === null
        ? await this.sql.row<{ verified: VerifiedRow }>(ROTATE, values)
        : await this.sql.pipelined<{ verified: VerifiedRow }>(ROTATE, values);
    return row === undefined ? undefined : toVerified(row.verified);
  }

  override async renew(renewal: RefreshRenewal): Promise<VerifiedAuthorization | undefined> {
    const { hash, applicationId, scopes, idleSeconds, confirmation } = renewal;
    const values = [hash, applicationId, scopes, idleSeconds, confirmation];
    const row = await this.sql.pipelined<{ verified: VerifiedRow }>(RENEW, values);
    return row === undefined ? undefined : toVerified(row.verified);
  }

  override async handOutAgain(successorHash: Buffer): Promise<boolean> {
    return (await this.sql.change(HAND_OUT_AGAIN, [successorHash])) > 0;
  }

  override async undoRotation(hash: Buffer, successorHash: Buffer): Promise<void> {
    await this.sql.change(UNDO_ROTATION, [hash, successorHash]);
  }

  override async findRefreshToken(hash: Buffer): Promise<RefreshTokenRecord | undefined> {
    const row = await this.sql.row<
      VerifiedRow & {
        application_id: ApplicationId;
        used: boolean;
        used_seconds_ago: number | null;
        successor_sealed: Buffer | null;
        successor_used: boolean;
        dpop_jkt: Confirmation | null;
        alive: boolean;
      }
    >(FIND_REFRESH_TOKEN, [hash]);
    if (row === undefined) return undefined;
    const verified = toVerified(row);
    return {
      authorizationId: row.authorization_id,
      applicationId: row.application_id,
      alive: row.alive,
      scopes: verified.scopes,
      used: row.used,
      ...(row.used_seconds_ago === null ? {} : { usedSecondsAgo: row.used_seconds_ago }),
      confirmation: row.dpop_jkt,
      successorUsed: row.successor_used,
      successorSealed: row.successor_sealed,
      authorization: verified,
    };
  }

  override async revokeByRefreshToken(
    hash: Buffer,
    applicationId: ApplicationId | null,
    reason: string,
  ): Promise<'own' | 'foreign' | 'unknown'> {
    const values = [hash, applicationId, reason];
    const row = await this.sql.row<{ own: boolean }>(REVOKE_BY_REFRESH_TOKEN, values);
    return row === undefined ? 'unknown' : row.own ? 'own' : 'foreign';
  }

  override async revoke(authorizationId: AuthorizationId, reason: string): Promise<boolean> {
    return (await this.sql.change(REVOKE, [authorizationId, reason])) > 0;
  }

  override async revokeForApi(
    tx: Tx,
    applicationId: ApplicationId,
    reason: string,
    user?: AuthorizationOwner,
  ): Promise<void> {
    const [statement, whose] =
      user === undefined ? [REVOKE_FOR_API, []] : [REVOKE_FOR_API_OF_USER, [user.orgId, user.userId]];
    await this.sql.change(statement, [applicationId, reason, ...whose], tx);
  }

  override async revokeHeld(
    tx: Tx,
    { orgId, userId }: AuthorizationOwner,
    applicationId: ApplicationId,
    reason: string,
  ): Promise<number> {
    return await this.sql.change(REVOKE_HELD, [orgId, userId, applicationId, reason], tx);
  }

  override async findParent(authorizationId: string): Promise<ParentAuthorization | undefined> {
    const row = await this.sql.pipelined<{
      scopes: string[];
      session_id: SessionId | null;
      auth_time: number;
      amr: string[];
      acr: string | null;
      lineage: TokenLineage | null;
    }>(FIND_PARENT, [authorizationId]);
    if (row === undefined) return undefined;
    const { scopes, session_id: sessionId, auth_time: authTime, amr, acr, lineage } = row;
    return { scopes, sessionId, authTime, amr, acr, lineage };
  }

  override async findActiveUser(id: string): Promise<ActiveUser | undefined> {
    return await this.sql.pipelined<Pick<ActiveUser, keyof ActiveUser>>(FIND_ACTIVE_USER, [id]);
  }

  override async openExchange(exchange: NewExchange): Promise<VerifiedAuthorization | undefined> {
    const { id, userId, subjectEpoch, scopes, audience, authTime, amr, acr, actor, refreshToken } = exchange;
    const opened = await this.sql.row<{ id: string }>(OPEN_EXCHANGE, [
      ...EXCHANGE_BY.valuesOf({
        ...pick(exchange, ['userId', 'subjectEpoch', 'authTime', 'impersonatedBy']),
        idleSeconds: refreshToken?.idleSeconds ?? 0,
        absoluteSeconds: refreshToken?.absoluteSeconds ?? 0,
        confirmation: refreshToken?.confirmation ?? null,
      }),
      ...EXCHANGED.valuesOf({
        ...exchange,
        actor: actor && JSON.stringify(actor),
        lineage: JSON.stringify(exchange.lineage),
      }),
      ...FIRST_TOKEN.valuesOf({ hash: refreshToken?.hash }),
    ]);
    if (opened === undefined) return undefined;
    return {
      authorizationId: id,
      userId,
      subjectEpoch,
      scopes,
      audience,
      authTime,
      amr,
      ...(acr === null ? {} : { acr }),
      idTokenClaims: [],
      accessTokenType: exchange.accessTokenType,
      ...(actor === null ? {} : { actor }),
    };
  }
}
