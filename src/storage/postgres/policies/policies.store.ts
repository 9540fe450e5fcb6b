// SQL by hand where policies are read: every sign-in and every new password does, by prepared statements
import { Injectable } from '@nestjs/common';
import { IsNull, type ObjectType } from 'typeorm';
import { defaultAttemptPolicy } from '../../../domain/passwords/attempts/attempt-policy.js';
import type { BrandingPolicy } from '../../../domain/policies/branding-policy.js';
import type { Logo, LogoName } from '../../../domain/policies/logo.js';
import {
  PoliciesStore,
  type InstanceSettings,
  type InstanceSettingsKind,
  type PolicyKind,
  type PolicyKinds,
  type StoredPolicy,
} from '../../../domain/policies/policies.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { IdentityProviderId, OrgId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { advisoryLock } from '../advisory-lock.js';
import { HOME_REALM } from '../identity-providers/identity-providers.store.js';
import { instanceOwner } from '../instance-owner.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import {
  columns,
  COUNTED,
  CountedTable,
  detailsOf,
  detailsWithOwner,
  Table,
  type Counted,
} from '../table.js';
import { BrandingPolicyEntity } from '../tables/branding-policy.entity.js';
import { FactorPolicyEntity } from '../tables/factor-policy.entity.js';
import { IdentityProviderEntity } from '../tables/identity-provider.entity.js';
import { LockoutPolicyEntity } from '../tables/lockout-policy.entity.js';
import { LoginPolicyEntity } from '../tables/login-policy.entity.js';
import { PasswordPolicyEntity } from '../tables/password-policy.entity.js';
import { TokenPolicyEntity } from '../tables/token-policy.entity.js';
import { decided, decisions, decisionsOf } from './decisions.js';
import { keptSettings, type KeptSettings, type SettingsRow } from './kept-settings.js';

/** A row whose other columns are the members of its policy, which the compiler cannot follow. */
type PolicyRow = Counted & { isSet: boolean } & Record<string, unknown>;

/** How a policy is stored: its members are columns of the entity, other than what `read` and `write` convert. */
interface Shape<Policy> {
  readonly entity: ObjectType<object>;
  read?(given: object): Policy;
  write?(policy: Policy): object;
}

const SHAPES: { readonly [Kind in PolicyKind]: Shape<PolicyKinds[Kind]> } = {
  login: { entity: LoginPolicyEntity },
  password: { entity: PasswordPolicyEntity },
  // the time after which failures are forgotten is not a setting
  lockout: { entity: LockoutPolicyEntity, read: (given) => ({ ...defaultAttemptPolicy, ...given }) },
  token: { entity: TokenPolicyEntity },
  factor: { entity: FactorPolicyEntity },
  branding: { entity: BrandingPolicyEntity, read: brandingOf, write: columnsOf },
};

function brandingOf({ logo, logoName, ...given }: Partial<BrandingPolicyEntity>): BrandingPolicy {
  const picture = logo && logoName && { logo: { name: logoName, content: logo } };
  return { ...(given as BrandingPolicy), ...picture };
}

function columnsOf({ logo, ...policy }: BrandingPolicy): object {
  return { ...policy, logo: logo?.content, logoName: logo?.name };
}

interface Kept {
  readonly rows: CountedTable<PolicyRow>;
  readonly find: Statement;
  readonly names: readonly string[];
}

function keptOf(sql: Sql, kind: PolicyKind): Kept {
  const entity = SHAPES[kind].entity as ObjectType<PolicyRow>;
  const names = decisionsOf(entity);
  const all = columns(entity, 't', [...names, 'orgId', 'sequence', 'createdAt', 'changedAt']);
  const text = `SELECT ${all} FROM ${kind}_policies t WHERE t.org_id = $1${isReset(kind) ? ' AND t.is_set' : ''}`;
  return { rows: new CountedTable(sql, entity), find: { name: `policies-find-${kind}`, text }, names };
}

/** Branding is never reset to a default; it is set to empty values instead. */
function isReset(kind: PolicyKind): boolean {
  return kind !== 'branding';
}

@Injectable()
export class PgPoliciesStore extends PoliciesStore {
  private readonly kinds: Readonly<Record<PolicyKind, Kept>>;
  private readonly settings: Readonly<Record<InstanceSettingsKind, KeptSettings>>;
  private readonly brandings: Table<BrandingPolicyEntity>;
  private readonly providers: Table<IdentityProviderEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.kinds = {
      login: keptOf(sql, 'login'),
      password: keptOf(sql, 'password'),
      lockout: keptOf(sql, 'lockout'),
      token: keptOf(sql, 'token'),
      factor: keptOf(sql, 'factor'),
      branding: keptOf(sql, 'branding'),
    };
    this.settings = {
      oidc: keptSettings(sql, 'oidc'),
      security: keptSettings(sql, 'security'),
      factor: keptSettings(sql, 'factor'),
    };
    this.brandings = new Table(sql, BrandingPolicyEntity);
    this.providers = new Table(sql, IdentityProviderEntity);
  }

  override async find<Kind extends PolicyKind>(
    kind: Kind,
    orgId: OrgId,
    tx?: Tx,
  ): Promise<StoredPolicy<PolicyKinds[Kind]> | undefined> {
    const row = await this.sql.row<PolicyRow>(this.kinds[kind].find, [orgId], tx);
    return row && { policy: this.policyOf(kind, row), details: detailsOf(row) };
  }

  override async lockForUpdate<Kind extends PolicyKind>(
    tx: Tx,
    kind: Kind,
    orgId: OrgId,
  ): Promise<PolicyKinds[Kind] | undefined> {
    const row = await this.kinds[kind].rows.lockForUpdate(tx, { orgId });
    return row.sequence === '0' ? undefined : this.policyOf(kind, row);
  }

  override async replace<Kind extends PolicyKind>(
    tx: Tx,
    kind: Kind,
    orgId: OrgId,
    policy: PolicyKinds[Kind],
    isSet: boolean,
  ): Promise<ResourceDetails> {
    const { rows, names } = this.kinds[kind];
    const values = decisions<PolicyRow>(SHAPES[kind].write?.(policy) ?? policy, names);
    const details = await rows.changeOne(tx, { orgId }, { ...values, ...(isReset(kind) && { isSet }) });
    if (details === undefined) throw new Error(`a ${kind} policy was replaced that nobody holds`);
    return details;
  }

  override async lockHomeRealm(tx: Tx, orgId: OrgId): Promise<boolean> {
    await advisoryLock(this.sql, tx, HOME_REALM, orgId);
    return await this.providers.exists({ orgId, homeRealm: true }, tx);
  }

  override async findInstanceProviderState(id: string, tx?: Tx): Promise<'active' | 'inactive' | undefined> {
    return (await this.providers.find({ id: id as IdentityProviderId, orgId: IsNull() }, tx))?.state;
  }

  override async findLogo(name: LogoName): Promise<Logo | undefined> {
    const row = await this.brandings.find({ logoName: name });
    return row && brandingOf(row).logo;
  }

  override async findSettings<Kind extends InstanceSettingsKind>(
    kind: Kind,
  ): Promise<StoredPolicy<InstanceSettings[Kind]> | undefined> {
    const row = await this.sql.pipelined<SettingsRow>(this.settings[kind].find, []);
    return row && { policy: this.settingsOf(kind, row), details: detailsOf(row) };
  }

  override async lockSettings<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
  ): Promise<InstanceSettings[Kind] | undefined> {
    const row = await this.settings[kind].rows.lockForUpdate(tx, { id: true });
    return row.sequence === '0' ? undefined : this.settingsOf(kind, row);
  }

  override async replaceSettings<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
    settings: InstanceSettings[Kind],
  ): Promise<ResourceDetails> {
    const { rows, names } = this.settings[kind];
    const values = { ...decisions<SettingsRow>(settings, names), ...COUNTED };
    const [row] = await rows.change(tx, { id: true }, values);
    if (row === undefined) throw new Error(`${kind} settings were replaced that nobody has locked`);
    return detailsWithOwner(await instanceOwner(this.sql, tx), row);
  }

  private policyOf<Kind extends PolicyKind>(kind: Kind, row: PolicyRow): PolicyKinds[Kind] {
    const given = decided(row, this.kinds[kind].names);
    return SHAPES[kind].read?.(given) ?? (given as unknown as PolicyKinds[Kind]);
  }

  private settingsOf<Kind extends InstanceSettingsKind>(
    kind: Kind,
    row: SettingsRow,
  ): InstanceSettings[Kind] {
    return decided(row, this.settings[kind].names) as unknown as InstanceSettings[Kind];
  }
}
