import { Injectable } from '@nestjs/common';
import { OidcSettingsStore } from '../../../domain/policies/oidc-settings.store.js';
import type { StoredPolicy } from '../../../domain/policies/policies.store.js';
import type { TokenPolicy } from '../../../domain/policies/token-policy.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';

const COLUMNS = `
  access_token_seconds, id_token_seconds, refresh_idle_seconds, refresh_absolute_seconds, sequence, created_at,
  changed_at, (SELECT default_org_id FROM instance) AS org_id`;

// a row that `lockForUpdate` has just made stands for no settings
const FIND = {
  name: 'oidc-settings-find',
  text: `SELECT ${COLUMNS} FROM oidc_settings WHERE sequence > 0`,
};

// the touch waits for whoever holds the row, then gives what they left; a row that is made here counts no change yet
const LOCK_FOR_UPDATE = {
  name: 'oidc-settings-lock-for-update',
  text: `
    INSERT INTO oidc_settings AS s (sequence) VALUES (0)
    ON CONFLICT (id) DO UPDATE SET id = s.id
    RETURNING ${COLUMNS}`,
};

const REPLACE = {
  name: 'oidc-settings-replace',
  text: `
    UPDATE oidc_settings SET access_token_seconds = $1, id_token_seconds = $2, refresh_idle_seconds = $3,
      refresh_absolute_seconds = $4, sequence = sequence + 1, changed_at = app_now()
    RETURNING ${COLUMNS}`,
};

type SettingsRow = ResourceRow & {
  access_token_seconds: number | null;
  id_token_seconds: number | null;
  refresh_idle_seconds: number | null;
  refresh_absolute_seconds: number | null;
};

function toSettings(row: SettingsRow): TokenPolicy {
  return {
    accessTokenSeconds: row.access_token_seconds ?? undefined,
    idTokenSeconds: row.id_token_seconds ?? undefined,
    refreshIdleSeconds: row.refresh_idle_seconds ?? undefined,
    refreshAbsoluteSeconds: row.refresh_absolute_seconds ?? undefined,
  };
}

@Injectable()
export class PgOidcSettingsStore extends OidcSettingsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find(): Promise<StoredPolicy<TokenPolicy> | undefined> {
    const row = await this.sql.pipelined<SettingsRow>(FIND, []);
    return row && { policy: toSettings(row), details: detailsOf(row) };
  }

  override async lockForUpdate(tx: Tx): Promise<TokenPolicy | undefined> {
    const row = await this.sql.row<SettingsRow>(LOCK_FOR_UPDATE, [], tx);
    return row === undefined || row.sequence === '0' ? undefined : toSettings(row);
  }

  override async replace(tx: Tx, settings: TokenPolicy): Promise<ResourceDetails> {
    const { accessTokenSeconds, idTokenSeconds, refreshIdleSeconds, refreshAbsoluteSeconds } = settings;
    const values = [accessTokenSeconds, idTokenSeconds, refreshIdleSeconds, refreshAbsoluteSeconds].map(
      (seconds) => seconds ?? null,
    );
    const row = await this.sql.row<SettingsRow>(REPLACE, values, tx);
    if (row === undefined) throw new Error('oidc settings were replaced that nobody has locked');
    return detailsOf(row);
  }
}
