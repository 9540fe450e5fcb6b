// SQL by hand where settings are read: every token exchange asks, on a pipelined connection
import { Injectable } from '@nestjs/common';
import type { ObjectType } from 'typeorm';
import {
  InstanceSettingsStore,
  type InstanceSettings,
  type InstanceSettingsKind,
} from '../../../domain/policies/instance-settings.store.js';
import type { StoredPolicy } from '../../../domain/policies/policies.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { columns, COUNTED, detailsOf, detailsToldBy, Table, type Counted } from '../table.js';
import { InstanceEntity } from '../tables/instance.entity.js';
import { OidcSettingsEntity } from '../tables/oidc-settings.entity.js';
import { SecuritySettingsEntity } from '../tables/security-settings.entity.js';
import { decided, decisions, decisionsOf } from './decisions.js';

/** A row whose other columns are the settings, which the compiler cannot follow. */
type SettingsRow = Counted & { id: boolean } & Record<string, unknown>;

const ENTITIES: Readonly<Record<InstanceSettingsKind, ObjectType<object>>> = {
  oidc: OidcSettingsEntity,
  security: SecuritySettingsEntity,
};

interface Kept {
  readonly rows: Table<SettingsRow>;
  readonly find: Statement;
  readonly names: readonly string[];
}

function keptOf(sql: Sql, kind: InstanceSettingsKind): Kept {
  const entity = ENTITIES[kind] as ObjectType<SettingsRow>;
  const names = decisionsOf(entity);
  const all = columns(entity, 't', [...names, 'sequence', 'createdAt', 'changedAt']);
  // a row that `lockForUpdate` has just made stands for no settings
  const text = `
    SELECT ${all}, (SELECT default_org_id FROM instance) AS "orgId" FROM ${kind}_settings t WHERE t.sequence > 0`;
  return { rows: new Table(sql, entity), find: { name: `${kind}-settings-find`, text }, names };
}

@Injectable()
export class PgInstanceSettingsStore extends InstanceSettingsStore {
  private readonly kinds: Readonly<Record<InstanceSettingsKind, Kept>>;
  private readonly instance: Table<InstanceEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.kinds = { oidc: keptOf(sql, 'oidc'), security: keptOf(sql, 'security') };
    this.instance = new Table(sql, InstanceEntity);
  }

  override async find<Kind extends InstanceSettingsKind>(
    kind: Kind,
  ): Promise<StoredPolicy<InstanceSettings[Kind]> | undefined> {
    const row = await this.sql.pipelined<SettingsRow>(this.kinds[kind].find, []);
    return row && { policy: this.settingsOf(kind, row), details: detailsOf(row) };
  }

  override async lockForUpdate<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
  ): Promise<InstanceSettings[Kind] | undefined> {
    const row = await this.kinds[kind].rows.hold(tx, { id: true });
    return row.sequence === '0' ? undefined : this.settingsOf(kind, row);
  }

  override async replace<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
    settings: InstanceSettings[Kind],
  ): Promise<ResourceDetails> {
    const { rows, names } = this.kinds[kind];
    const values = { ...decisions<SettingsRow>(settings, names), ...COUNTED };
    const [row] = await rows.change(tx, { id: true }, values);
    if (row === undefined) throw new Error(`${kind} settings were replaced that nobody has locked`);
    const instance = await this.instance.find({ id: true }, tx);
    if (instance === undefined) throw new Error('the instance is not set up yet: run bootstrap');
    return detailsToldBy(instance.defaultOrgId, row);
  }

  private settingsOf<Kind extends InstanceSettingsKind>(
    kind: Kind,
    row: SettingsRow,
  ): InstanceSettings[Kind] {
    return decided(row, this.kinds[kind].names) as unknown as InstanceSettings[Kind];
  }
}
