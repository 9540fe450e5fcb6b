// SQL by hand: every token exchange reads settings of the instance, on a pipelined connection
import type { ObjectType } from 'typeorm';
import type { InstanceSettingsKind } from '../../../domain/policies/policies.store.js';
import type { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { columns, Table, type Counted } from '../table.js';
import { FactorSettingsEntity } from '../tables/factor-policy.entity.js';
import { OidcSettingsEntity } from '../tables/oidc-settings.entity.js';
import { SecuritySettingsEntity } from '../tables/security-settings.entity.js';
import { decisionsOf } from './decisions.js';

/** A row whose other columns are the settings; not typed further. */
export type SettingsRow = Counted & { id: boolean } & Record<string, unknown>;

const ENTITIES: Readonly<Record<InstanceSettingsKind, ObjectType<object>>> = {
  oidc: OidcSettingsEntity,
  security: SecuritySettingsEntity,
  factor: FactorSettingsEntity,
};

/** How settings of one kind are read and written. */
export interface KeptSettings {
  readonly rows: Table<SettingsRow>;
  readonly find: Statement;
  readonly names: readonly string[];
}

export function keptSettings(sql: Sql, kind: InstanceSettingsKind): KeptSettings {
  const entity = ENTITIES[kind] as ObjectType<SettingsRow>;
  const names = decisionsOf(entity);
  const all = columns(entity, 't', [...names, 'sequence', 'createdAt', 'changedAt']);
  // a row that `lockSettings` has just inserted has sequence 0, and no settings yet
  const text = `
    SELECT ${all}, (SELECT default_org_id FROM instance) AS "orgId" FROM ${kind}_settings t WHERE t.sequence > 0`;
  return { rows: new Table(sql, entity), find: { name: `${kind}-settings-find`, text }, names };
}
