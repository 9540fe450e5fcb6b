// SQL by hand: what is good once is taken by one statement
import { Injectable } from '@nestjs/common';
import {
  EXTERNAL_SIGN_IN_SECONDS,
  ExternalSignInsStore,
  MOST_ANSWERS,
  type ExternalPurpose,
  type ExternalSignIn,
  type KeptAnswer,
  type TakenSignIn,
} from '../../../domain/identity-providers/external-sign-ins.store.js';
import type { IdentityProviderId, UserAgentId } from '../../../domain/shared/ids.js';
import { Sql } from '../sql.js';
import { columns, Table } from '../table.js';
import { ExternalSignInEntity } from '../tables/identity-provider.entity.js';

const PURPOSES = ['flowId', 'realmOrgId', 'linkSessionId', 'confirmSessionId'] as const;
const BEGUN = [...PURPOSES, 'nonce', 'codeVerifier', 'maxAge'] as const;
const READ = [...BEGUN, 'answer', 'answerHash'] as const;
const HERE = `s.state_hash = $1 AND s.provider_id = $2 AND s.user_agent_id = $3 AND s.expires_at > app_now()`;
const FIND = {
  name: 'external-sign-ins-find',
  text: `SELECT ${columns(ExternalSignInEntity, 's', READ)} FROM external_sign_ins s WHERE ${HERE}`,
};
const TAKE = {
  name: 'external-sign-ins-take',
  text: `
    DELETE FROM external_sign_ins s
    WHERE ${HERE}
    RETURNING ${columns(ExternalSignInEntity, 's', READ)},
      extract(epoch FROM s.expires_at)::float8 - ${EXTERNAL_SIGN_IN_SECONDS} AS "begunAt"`,
};
const ADMIT_ANSWER = {
  name: 'external-sign-ins-admit-answer',
  text: `
    UPDATE external_sign_ins s SET answers_read = answers_read + 1
    WHERE state_hash = $1 AND provider_id = $2 AND answer_hash IS NULL AND expires_at > app_now()
      AND answers_read < ${MOST_ANSWERS}
    RETURNING ${columns(ExternalSignInEntity, 's', ['nonce', 'maxAge'])}`,
};
/** An assertion that was here before adds no row, and then nothing is kept. Requests are gone long before it is forgotten. */
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

interface Place {
  readonly providerId: IdentityProviderId;
  readonly userAgentId: UserAgentId;
}

type TakenRow = Pick<ExternalSignInEntity, (typeof READ)[number]>;

@Injectable()
export class PgExternalSignInsStore extends ExternalSignInsStore {
  private readonly rows: Table<ExternalSignInEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, ExternalSignInEntity);
  }

  override async add(
    stateHash: Buffer,
    { providerId, userAgentId }: Place,
    { purpose, nonce, codeVerifier, maxAge }: ExternalSignIn,
  ): Promise<void> {
    const expiresAt = () => `app_now() + interval '${EXTERNAL_SIGN_IN_SECONDS} seconds'`;
    const realmOrgId = 'flowId' in purpose ? (purpose.realmOrgId ?? null) : null;
    const begun = { ...purpose, realmOrgId, nonce, codeVerifier, maxAge: maxAge ?? null, expiresAt };
    await this.rows.add(undefined, { stateHash, providerId, userAgentId, ...begun });
  }

  override async find(
    stateHash: Buffer,
    { providerId, userAgentId }: Place,
  ): Promise<ExternalSignIn | undefined> {
    const row = await this.sql.row<TakenRow>(FIND, [stateHash, providerId, userAgentId]);
    return row && signInOf(row);
  }

  override async take(
    stateHash: Buffer,
    { providerId, userAgentId }: Place,
  ): Promise<TakenSignIn | undefined> {
    const values = [stateHash, providerId, userAgentId];
    const row = await this.sql.row<TakenRow & Pick<TakenSignIn, 'begunAt'>>(TAKE, values);
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
