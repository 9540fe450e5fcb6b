// SQL by hand: a sign-in at a provider is consumed by one DELETE, and an answer is accepted once, by one conditional statement
import { Injectable } from '@nestjs/common';
import {
  MOST_ANSWERS,
  PROVIDER_REQUEST_SECONDS,
  ProviderRequestsStore,
  type ExternalPurpose,
  type ExternalSignIn,
  type KeptAnswer,
  type RequestPlace,
  type TakenSignIn,
} from '../../../domain/external-sign-in/provider-requests.store.js';
import type { IdentityProviderId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { AHEAD, columns, Table } from '../table.js';
import { ExternalSignInEntity } from '../tables/identity-provider.entity.js';
import { ProviderSignOutEntity } from '../tables/provider-session.entity.js';
import { UsedAssertionEntity } from '../tables/used-assertion.entity.js';

const PURPOSES = ['flowId', 'realmOrgId', 'linkSessionId', 'confirmSessionId'] as const;
const READ = [...PURPOSES, 'nonce', 'codeVerifier', 'maxAge', 'answer', 'answerHash'] as const;
const EXPIRY = `app_now() + interval '${PROVIDER_REQUEST_SECONDS} seconds'`;
const TAKE_SIGN_IN = {
  name: 'external-sign-ins-take',
  text: `
    DELETE FROM external_sign_ins s
    WHERE s.state_hash = $1 AND s.provider_id = $2 AND s.user_agent_id = $3 AND s.expires_at > app_now()
    RETURNING ${columns(ExternalSignInEntity, 's', READ)},
      extract(epoch FROM s.expires_at)::float8 - ${PROVIDER_REQUEST_SECONDS} AS "begunAt"`,
};
const ADMIT_ANSWER = {
  name: 'external-sign-ins-admit-answer',
  text: `
    UPDATE external_sign_ins s SET answers_read = answers_read + 1
    WHERE state_hash = $1 AND provider_id = $2 AND answer_hash IS NULL AND expires_at > app_now()
      AND answers_read < ${MOST_ANSWERS}
    RETURNING ${columns(ExternalSignInEntity, 's', ['nonce', 'maxAge'])}`,
};
/** A replayed assertion adds no row, and then the answer is not stored. Its hash is kept for much longer than a sign-in. */
const KEEP_ANSWER = {
  name: 'external-sign-ins-keep-answer',
  text: `
    WITH unseen AS (
      INSERT INTO used_assertions (hash, expires_at) VALUES ($5, app_now() + interval '1 hour')
      ON CONFLICT (hash) DO NOTHING RETURNING hash
    )
    UPDATE external_sign_ins SET answer = $3, answer_hash = $4 FROM unseen
    WHERE state_hash = $1 AND provider_id = $2 AND answer_hash IS NULL AND expires_at > app_now()`,
};

type TakenRow = Pick<ExternalSignInEntity, (typeof READ)[number]>;

@Injectable()
export class PgProviderRequestsStore extends ProviderRequestsStore {
  private readonly signIns: Table<ExternalSignInEntity>;
  private readonly signOuts: Table<ProviderSignOutEntity>;
  private readonly usedAssertions: Table<UsedAssertionEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.signIns = new Table(sql, ExternalSignInEntity);
    this.signOuts = new Table(sql, ProviderSignOutEntity);
    this.usedAssertions = new Table(sql, UsedAssertionEntity);
  }

  override async addSignIn(
    stateHash: Buffer,
    { providerId, userAgentId }: RequestPlace,
    { purpose, nonce, codeVerifier, maxAge }: ExternalSignIn,
  ): Promise<void> {
    const realmOrgId = 'flowId' in purpose ? (purpose.realmOrgId ?? null) : null;
    const begun = {
      ...purpose,
      realmOrgId,
      nonce,
      codeVerifier,
      maxAge: maxAge ?? null,
      expiresAt: () => EXPIRY,
    };
    await this.signIns.add(undefined, { stateHash, providerId, userAgentId, ...begun });
  }

  override async findSignIn(stateHash: Buffer, place: RequestPlace): Promise<ExternalSignIn | undefined> {
    const row = await this.signIns.find(openAt(stateHash, place));
    return row && signInOf(row);
  }

  override async takeSignIn(
    stateHash: Buffer,
    { providerId, userAgentId }: RequestPlace,
  ): Promise<TakenSignIn | undefined> {
    const values = [stateHash, providerId, userAgentId];
    const row = await this.sql.row<TakenRow & Pick<TakenSignIn, 'begunAt'>>(TAKE_SIGN_IN, values);
    return row && { ...signInOf(row), begunAt: row.begunAt };
  }

  override async admitAnswer(
    stateHash: Buffer,
    providerId: IdentityProviderId,
  ): Promise<Pick<ExternalSignIn, 'nonce' | 'maxAge'> | undefined> {
    const row = await this.sql.row<Pick<TakenRow, 'nonce' | 'maxAge'>>(ADMIT_ANSWER, [stateHash, providerId]);
    return row && { nonce: row.nonce, maxAge: row.maxAge ?? undefined };
  }

  override async keepAnswer(
    stateHash: Buffer,
    providerId: IdentityProviderId,
    { identity, handleHash }: KeptAnswer,
    assertionHash: Buffer,
  ): Promise<boolean> {
    const values = [stateHash, providerId, JSON.stringify(identity), handleHash, assertionHash];
    return (await this.sql.change(KEEP_ANSWER, values)) === 1;
  }

  override async addSignOut(
    stateHash: Buffer,
    place: RequestPlace,
    target: string | undefined,
  ): Promise<void> {
    const { providerId, userAgentId } = place;
    const expiresAt = () => EXPIRY;
    await this.signOuts.add(undefined, {
      stateHash,
      providerId,
      userAgentId,
      target: target ?? null,
      expiresAt,
    });
  }

  override async takeSignOut(stateHash: Buffer, place: RequestPlace) {
    const [taken] = await this.signOuts.remove(undefined, openAt(stateHash, place));
    return taken && { target: taken.row.target ?? undefined };
  }

  override async useLogoutRequest(tx: Tx, hash: Buffer): Promise<boolean> {
    const expiresAt = () => `app_now() + interval '1 hour'`;
    return await this.usedAssertions.addUnlessThere(tx, { hash, expiresAt });
  }
}

/** A request to a provider that has not expired. */
function openAt(stateHash: Buffer, { providerId, userAgentId }: RequestPlace) {
  return { stateHash, providerId, userAgentId, expiresAt: AHEAD };
}

function signInOf(row: TakenRow): Omit<TakenSignIn, 'begunAt'> {
  const { nonce, codeVerifier, maxAge, answer, answerHash } = row;
  const kept =
    answer === null || answerHash === null ? undefined : { identity: answer, handleHash: answerHash };
  return { nonce, codeVerifier, purpose: purposeOf(row), maxAge: maxAge ?? undefined, answer: kept };
}

function purposeOf({ flowId, realmOrgId, linkSessionId, confirmSessionId }: TakenRow): ExternalPurpose {
  if (flowId !== null) return { flowId, realmOrgId: realmOrgId ?? undefined };
  if (linkSessionId !== null) return { linkSessionId };
  if (confirmSessionId !== null) return { confirmSessionId };
  throw new Error('a sign-in at a provider without a purpose');
}
