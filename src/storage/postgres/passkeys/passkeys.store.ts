// SQL by hand: a use is recorded by one UPDATE that checks the signature counter
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { passkeyTaken } from '../../../domain/passkeys/passkey-refusal.js';
import type { NewPasskey, Passkey, PasskeyCredential } from '../../../domain/passkeys/passkey.js';
import {
  PasskeysStore,
  type ChallengeBinding,
  type NewChallenge,
  type PasskeyUse,
} from '../../../domain/passkeys/passkeys.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, PasskeyId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { AHEAD, CountedTable, detailsOf, Table } from '../table.js';
import { PasskeyChallengeEntity, PasskeyEntity } from '../tables/passkey.entity.js';

// an authenticator without a counter always sends 0 (WebAuthn §6.1.1)
const RECORD_USE = {
  name: 'passkeys-record-use',
  text: `
    UPDATE passkeys SET sign_count = greatest(sign_count, $2::bigint), backed_up = $3, last_used_at = app_now()
    WHERE id = $1 AND ($4 OR (counter_went_back_at IS NULL AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0))))`,
};
const TAKEN = { passkeys_credential: passkeyTaken };

@Injectable()
export class PgPasskeysStore extends PasskeysStore {
  private readonly rows: CountedTable<PasskeyEntity>;
  private readonly challenges: Table<PasskeyChallengeEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, PasskeyEntity);
    this.challenges = new Table(sql, PasskeyChallengeEntity);
  }

  override async addChallenge(challenge: NewChallenge, seconds: number): Promise<void> {
    const expiresAt = () => `app_now() + interval '${seconds} seconds'`;
    await this.challenges.add(undefined, { ...challenge, expiresAt });
  }

  override async takeChallenge(
    hash: Buffer,
    { purpose, boundTo, userAgentId, userId }: ChallengeBinding,
    tx?: Tx,
  ): Promise<{ userHandle: Buffer | null } | undefined> {
    // a response that does not match all of this does not consume the challenge
    const [taken] = await this.challenges.remove(tx, {
      hash,
      purpose,
      boundTo,
      userAgentId: userAgentId ?? IsNull(),
      userId: userId ?? IsNull(),
      expiresAt: AHEAD,
    });
    return taken && { userHandle: taken.row.userHandle };
  }

  override async listOfUser(orgId: OrgId, userId: UserId, tx?: Tx): Promise<readonly Passkey[]> {
    return (await this.ofUser(orgId, userId, tx)).map(passkeyOf);
  }

  override async credentialsOfUser(orgId: OrgId, userId: UserId): Promise<readonly PasskeyCredential[]> {
    return (await this.ofUser(orgId, userId)).map(credentialOf);
  }

  override async findCredential(credentialId: Buffer): Promise<PasskeyCredential | undefined> {
    const row = await this.rows.find({ credentialId });
    return row && credentialOf(row);
  }

  override async add(tx: Tx, { signCount, transports, ...passkey }: NewPasskey): Promise<Passkey> {
    await requireOwnedCapacity(this.sql, tx, 'passkeys', passkey.orgId, passkey.userId);
    const row = { ...passkey, transports: [...transports], signCount: String(signCount) };
    return passkeyOf(await mapUniqueViolations(this.rows.add(tx, row), TAKEN));
  }

  override async rename(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: PasskeyId,
    name: string,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, { orgId, userId, id }, { name });
  }

  override async remove(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: PasskeyId,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, { orgId, userId, id });
  }

  override async recordUse(
    tx: Tx,
    id: PasskeyId,
    { signCount, backedUp, anyCount }: PasskeyUse,
  ): Promise<boolean> {
    return (await this.sql.change(RECORD_USE, [id, signCount, backedUp, anyCount], tx)) === 1;
  }

  override async noteCounterWentBack(tx: Tx, id: PasskeyId): Promise<void> {
    const since = () => 'coalesce(counter_went_back_at, app_now())';
    await this.rows.changeAll(tx, { id }, { counterWentBackAt: since });
  }

  private async ofUser(orgId: OrgId, userId: UserId, tx?: Tx): Promise<readonly PasskeyEntity[]> {
    return await this.rows.list({ orgId, userId }, { createdAt: 'ASC', id: 'ASC' }, tx);
  }
}

function credentialOf(row: PasskeyEntity): PasskeyCredential {
  const { id, orgId, userId, credentialId, publicKey, userHandle, transports } = row;
  const signCount = Number(row.signCount);
  const maybeCopied = row.counterWentBackAt !== null;
  return { id, orgId, userId, credentialId, publicKey, userHandle, transports, signCount, maybeCopied };
}

function passkeyOf(row: PasskeyEntity): Passkey {
  const { id, name, passwordless, backupEligible, backedUp, lastUsedAt, counterWentBackAt } = row;
  return {
    id,
    name,
    passwordless,
    backupEligible,
    backedUp,
    ...(lastUsedAt !== null && { lastUsedAt }),
    ...(counterWentBackAt !== null && { counterWentBackAt }),
    details: detailsOf(row),
  };
}
