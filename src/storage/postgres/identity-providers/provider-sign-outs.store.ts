// SQL by hand: what is good once is taken by one statement
import { Injectable } from '@nestjs/common';
import {
  PROVIDER_SIGN_OUT_SECONDS,
  ProviderSignOutsStore,
} from '../../../domain/identity-providers/provider-sign-outs.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { ProviderSignOutEntity } from '../tables/provider-session.entity.js';

const TAKE = {
  name: 'provider-sign-outs-take',
  text: `
    DELETE FROM provider_sign_outs
    WHERE state_hash = $1 AND provider_id = $2 AND user_agent_id = $3 AND expires_at > app_now()
    RETURNING target`,
};

const USE_REQUEST = {
  name: 'provider-sign-outs-use-request',
  text: `
    INSERT INTO used_assertions (hash, expires_at) VALUES ($1, app_now() + interval '1 hour')
    ON CONFLICT (hash) DO NOTHING`,
};

type Place = Pick<ProviderSignOutEntity, 'providerId' | 'userAgentId'>;

@Injectable()
export class PgProviderSignOutsStore extends ProviderSignOutsStore {
  private readonly rows: Table<ProviderSignOutEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, ProviderSignOutEntity);
  }

  override async add(stateHash: Buffer, place: Place, target: string | undefined): Promise<void> {
    const expiresAt = () => `app_now() + interval '${PROVIDER_SIGN_OUT_SECONDS} seconds'`;
    const { providerId, userAgentId } = place;
    await this.rows.add(undefined, { stateHash, providerId, userAgentId, target: target ?? null, expiresAt });
  }

  override async take(stateHash: Buffer, { providerId, userAgentId }: Place) {
    const row = await this.sql.row<{ target: string | null }>(TAKE, [stateHash, providerId, userAgentId]);
    return row && { target: row.target ?? undefined };
  }

  override async useRequest(tx: Tx, hash: Buffer): Promise<boolean> {
    return (await this.sql.change(USE_REQUEST, [hash], tx)) === 1;
  }
}
