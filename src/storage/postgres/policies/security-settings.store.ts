import { Injectable } from '@nestjs/common';
import type { StoredPolicy } from '../../../domain/policies/policies.store.js';
import {
  SecuritySettingsStore,
  type SecuritySettings,
} from '../../../domain/policies/security-settings.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';

const COLUMNS = `
  enable_impersonation, sequence, created_at, changed_at, (SELECT default_org_id FROM instance) AS org_id`;

// a row that `lockForUpdate` has just made stands for no settings
const FIND = {
  name: 'security-settings-find',
  text: `SELECT ${COLUMNS} FROM security_settings WHERE sequence > 0`,
};

// the touch waits for whoever holds the row, then gives what they left; a row that is made here counts no change yet
const LOCK_FOR_UPDATE = {
  name: 'security-settings-lock-for-update',
  text: `
    INSERT INTO security_settings AS s (sequence) VALUES (0)
    ON CONFLICT (id) DO UPDATE SET id = s.id
    RETURNING ${COLUMNS}`,
};

const REPLACE = {
  name: 'security-settings-replace',
  text: `
    UPDATE security_settings SET enable_impersonation = $1, sequence = sequence + 1, changed_at = app_now()
    RETURNING ${COLUMNS}`,
};

type SettingsRow = ResourceRow & { enable_impersonation: boolean };

function toSettings(row: SettingsRow): SecuritySettings {
  return { enableImpersonation: row.enable_impersonation };
}

@Injectable()
export class PgSecuritySettingsStore extends SecuritySettingsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find(): Promise<StoredPolicy<SecuritySettings> | undefined> {
    const row = await this.sql.pipelined<SettingsRow>(FIND, []);
    return row && { policy: toSettings(row), details: detailsOf(row) };
  }

  override async lockForUpdate(tx: Tx): Promise<SecuritySettings | undefined> {
    const row = await this.sql.row<SettingsRow>(LOCK_FOR_UPDATE, [], tx);
    return row === undefined || row.sequence === '0' ? undefined : toSettings(row);
  }

  override async replace(tx: Tx, settings: SecuritySettings): Promise<ResourceDetails> {
    const row = await this.sql.row<SettingsRow>(REPLACE, [settings.enableImpersonation], tx);
    if (row === undefined) throw new Error('security settings were replaced that nobody has locked');
    return detailsOf(row);
  }
}
