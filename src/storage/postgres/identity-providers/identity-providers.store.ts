// SQL by hand where sign-ins ask: one prepared statement reads the login policy of an organization and its usable providers
import { Injectable } from '@nestjs/common';
import { IsNull, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import {
  providerTermsSchema,
  type IdentityProvider,
  type IdentityProviderPlan,
  type ProviderState,
  type ProviderTerms,
} from '../../../domain/identity-providers/identity-provider.js';
import {
  IdentityProvidersStore,
  type HomeRealm,
  type IdentityProviderPlace,
  type IdentityProviderRecord,
  type OfferedProvider,
  type ProviderSecretChange,
  type SignInTerms,
} from '../../../domain/identity-providers/identity-providers.store.js';
import { rulesOf } from '../../../domain/identity-providers/rules-of-kind.js';
import { defaultLoginPolicy, type LoginPolicy } from '../../../domain/policies/login-policy.js';
import { Sealer, type SealedPlace } from '../../../domain/secrets/sealer.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { IdentityProviderId, OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { advisoryLock } from '../advisory-lock.js';
import { ExpiringTable } from '../expiring-table.js';
import { resourceOwner } from '../instance-owner.js';
import { decided, decisionsOf } from '../policies/decisions.js';
import { isOfOwner, PagedQuery, selecting } from '../query.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { changedSecret, openSecret, sealSecret } from '../secrets/secret-columns.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { columns, COUNTED, detailsWithOwner, pick, removedDetails, Table, type Changes } from '../table.js';
import { IdentityProviderEntity } from '../tables/identity-provider.entity.js';
import { LoginPolicyEntity } from '../tables/login-policy.entity.js';

/**
 * Advisory lock for changes of where an organization's domains lead to: one of its own providers (`homeRealm`), or what its login policy
 * names.
 */
export const HOME_REALM = 'home realm';

/** What a plan says; the id, the organization and the version are the row's. */
const PLAN = [
  ...(Object.keys(providerTermsSchema.shape) as (keyof ProviderTerms)[]),
  'kind',
  'settings',
  'mapping',
] as const;
const PROVIDER = ['id', 'orgId', 'sequence', ...PLAN] as const;
const RECORD = [...PROVIDER, 'state', 'dataKeyId', 'createdAt', 'changedAt'] as const;
type ProviderRow = Pick<IdentityProviderEntity, (typeof PROVIDER)[number]>;
type RecordRow = Pick<IdentityProviderEntity, (typeof RECORD)[number]>;

const POLICY = decisionsOf(LoginPolicyEntity) as readonly (keyof LoginPolicyEntity)[];
/**
 * SQL: whether organization `org` lets people sign in with the provider `p`: its own, unless its policy allows none, and those
 * of the instance that the policy names.
 *
 * @param policy its row of `login_policies`, or nulls
 */
export function allowsProvider(org: string, policy: string): string {
  return `p.state = 'active' AND coalesce(${policy}.allow_external_idps, true)
    AND (p.org_id = ${org} OR p.org_id IS NULL AND p.id = ANY (${policy}.instance_idps))`;
}
const FIND_TERMS = {
  name: 'identity-providers-find-terms',
  text: `
    SELECT l.org_id IS NOT NULL AS decided, ${columns(LoginPolicyEntity, 'l', POLICY)}, offered.providers
    FROM (SELECT $1::text AS org_id) o
    LEFT JOIN login_policies l ON l.org_id = o.org_id AND l.is_set
    LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object(
        'id', p.id, 'kind', p.kind, 'name', p.name,
        'homeRealm', p.home_realm OR p.id IS NOT DISTINCT FROM l.home_realm_idp_id
      ) ORDER BY p.created_at, p.id) AS providers
      FROM (
        SELECT own.* FROM identity_providers own WHERE own.org_id = o.org_id
        UNION ALL
        SELECT shared.* FROM identity_providers shared WHERE shared.id = ANY (l.instance_idps)
      ) p WHERE ${allowsProvider('o.org_id', 'l')}
    ) offered ON true`,
};
const FIND_USABLE = {
  name: 'identity-providers-find-usable',
  text: `
    SELECT ${columns(IdentityProviderEntity, 'p', PROVIDER)}
    FROM identity_providers p LEFT JOIN login_policies l ON l.org_id = coalesce(p.org_id, $1) AND l.is_set
    WHERE p.id = $2 AND ${allowsProvider('coalesce(p.org_id, $1)', 'l')}`,
};
/** SQL: whether the provider `r` is in use: it is active, and so is its organization. */
const IN_USE = `r.state = 'active'
  AND (r.org_id IS NULL OR EXISTS (SELECT FROM organizations o WHERE o.id = r.org_id AND o.state = 'active'))`;
const LIST_READ = {
  name: 'identity-providers-list-read',
  text: `
    SELECT r.id, r.org_id AS "orgId" FROM identity_providers r
    WHERE ${IN_USE} AND r.settings ? 'metadataUrl' AND r.id > $1 ORDER BY r.id LIMIT $2`,
};
/** An organization cannot have two; should it have two, its own provider comes first. */
const FIND_HOME_REALM = {
  name: 'identity-providers-find-home-realm',
  text: `
    SELECT d.org_id AS "orgId", p.id, p.kind, p.name
    FROM organization_domains d
    JOIN organizations o ON o.id = d.org_id AND o.state = 'active'
    LEFT JOIN login_policies l ON l.org_id = d.org_id AND l.is_set
    CROSS JOIN LATERAL (
      SELECT own.* FROM identity_providers own WHERE own.org_id = d.org_id AND own.home_realm
      UNION ALL
      SELECT shared.* FROM identity_providers shared WHERE shared.id = l.home_realm_idp_id
    ) p
    WHERE d.domain = $1 AND d.is_verified AND ${allowsProvider('d.org_id', 'l')}
    ORDER BY p.org_id NULLS LAST LIMIT 1`,
};
const OWNERS_RELY = {
  name: 'identity-providers-owners-rely',
  text: `
    SELECT coalesce(bool_and(
      NOT EXISTS (SELECT FROM user_passwords w WHERE w.user_id = u.id)
      AND NOT EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id AND k.passwordless)), false)
      AND EXISTS (
        SELECT FROM identity_providers p LEFT JOIN login_policies l ON l.org_id = $1 AND l.is_set
        WHERE CASE WHEN $1 IS NULL THEN p.org_id IS NULL AND p.state = 'active' ELSE ${allowsProvider('$1', 'l')} END
      ) AS rely
    FROM memberships m JOIN users u ON u.id = m.user_id AND u.state = 'active' AND u.kind = 'human'
    WHERE m.role = CASE WHEN $1::text IS NULL THEN 'IAM_OWNER' ELSE 'ORG_OWNER' END
      AND (m.org_id = $1 OR $1 IS NULL AND m.org_id IS NULL)`,
};

type TermsRow = Partial<LoginPolicy> & {
  decided: boolean;
  providers: readonly OfferedProvider[] | null;
} & Record<string, unknown>;

@Injectable()
export class PgIdentityProvidersStore extends IdentityProvidersStore {
  private readonly rows: Table<IdentityProviderEntity>;
  private readonly policies: Table<LoginPolicyEntity>;
  private readonly expiring: ExpiringTable;
  private readonly pages: PagedQuery<RecordRow, { orgId: OrgId | null }>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new Table(sql, IdentityProviderEntity);
    this.policies = new Table(sql, LoginPolicyEntity);
    this.expiring = new ExpiringTable(sql, { table: 'identity_providers', key: 'id', isUsed: IN_USE });
    const listed = (entities: EntityManager) =>
      selecting(entities.createQueryBuilder(IdentityProviderEntity, 'p'), RECORD).where(isOfOwner('p'));
    this.pages = new PagedQuery(sql, 'identity-providers-list', listed, { name: 'name' });
  }

  override async list(orgId: OrgId | null, query: PageQuery): Promise<Page<IdentityProviderRecord>> {
    const owner = await resourceOwner(this.sql, orgId);
    return await this.pages.list(query, { orgId }, (row) => recordOf(row, owner));
  }

  override async find(place: IdentityProviderPlace, tx?: Tx): Promise<IdentityProviderRecord | undefined> {
    const row = await this.rows.find(whereOf(place), tx);
    return row && recordOf(row, await resourceOwner(this.sql, place.orgId, tx));
  }

  override async lockForUpdate(
    tx: Tx,
    place: IdentityProviderPlace,
  ): Promise<IdentityProviderRecord | undefined> {
    const row = await this.rows.find(whereOf(place), tx, 'lock');
    return row && recordOf(row, await resourceOwner(this.sql, place.orgId, tx));
  }

  override async add(
    tx: Tx,
    orgId: OrgId | null,
    plan: IdentityProviderPlan,
    secret: string | undefined,
  ): Promise<{ readonly id: IdentityProviderId; readonly details: ResourceDetails }> {
    // those of the instance are not limited: only instance owners add them
    if (orgId !== null) await requireOwnedCapacity(this.sql, tx, 'identity_providers', orgId, orgId);
    await this.requireHomeRealm(tx, orgId, plan);
    const row = await mapUniqueViolations(this.rows.add(tx, { orgId, ...planned(plan) }), TAKEN);
    const { id } = row;
    // afterwards, because the secret is sealed for the row it stands in
    if (secret !== undefined)
      await this.rows.change(tx, { id }, sealSecret(this.sealer, placeOf(id), secret));
    return { id, details: detailsWithOwner(await resourceOwner(this.sql, orgId, tx), row) };
  }

  override async replace(
    tx: Tx,
    place: IdentityProviderPlace,
    plan: IdentityProviderPlan,
    secret: ProviderSecretChange,
  ): Promise<ResourceDetails | undefined> {
    await this.requireHomeRealm(tx, place.orgId, plan);
    const values = { ...planned(plan), ...changedSecret(this.sealer, placeOf(place.id), secret) };
    return await mapUniqueViolations(this.change(tx, place, whereOf(place), values), TAKEN);
  }

  override async setState(
    tx: Tx,
    place: IdentityProviderPlace,
    state: ProviderState,
  ): Promise<ResourceDetails | undefined> {
    return await this.change(tx, place, { ...whereOf(place), state: Not(state) }, { state });
  }

  override async remove(tx: Tx, place: IdentityProviderPlace): Promise<ResourceDetails | undefined> {
    const [removed] = await this.rows.remove(tx, whereOf(place));
    return removed && removedDetails(await resourceOwner(this.sql, place.orgId, tx), removed);
  }

  override async findTerms(orgId: OrgId): Promise<SignInTerms> {
    const row = await this.sql.row<TermsRow>(FIND_TERMS, [orgId]);
    const policy =
      row?.decided === true ? (decided(row, POLICY) as unknown as LoginPolicy) : defaultLoginPolicy;
    return { policy, providers: row?.providers ?? [] };
  }

  override async findUsable(orgId: OrgId, id: IdentityProviderId): Promise<IdentityProvider | undefined> {
    const row = await this.sql.row<ProviderRow>(FIND_USABLE, [orgId, id]);
    return row && toProvider(row);
  }

  override async findActive(id: IdentityProviderId): Promise<IdentityProvider | undefined> {
    const row = await this.rows.find({ id, state: 'active' });
    return row && toProvider(row);
  }

  override async findAny(id: IdentityProviderId): Promise<IdentityProvider | undefined> {
    const row = await this.rows.find({ id });
    return row && toProvider(row);
  }

  override async findHomeRealm(domain: string): Promise<HomeRealm | undefined> {
    return await this.sql.row<HomeRealm & Record<string, unknown>>(FIND_HOME_REALM, [domain]);
  }

  override async listRead(after: IdentityProviderId | undefined, limit: number) {
    const found = await this.sql.rows<{ orgId: OrgId | null; id: IdentityProviderId }>(LIST_READ, [
      after ?? '',
      limit,
    ]);
    return found;
  }

  override async markExpiring(tx: Tx, withinDays: number, limit: number) {
    return await this.expiring.markExpiring(tx, withinDays, limit);
  }

  override async countExpiring(withinDays: number): Promise<number> {
    return await this.expiring.countExpiring(withinDays);
  }

  override async ownersRelyOnProviders(orgId: OrgId | null): Promise<boolean> {
    return (await this.sql.row<{ rely: boolean }>(OWNERS_RELY, [orgId]))?.rely === true;
  }

  override async openSecret(id: IdentityProviderId): Promise<string | undefined> {
    return await openSecret(this.sealer, placeOf(id), await this.rows.find({ id }));
  }

  private async change(
    tx: Tx,
    { orgId }: IdentityProviderPlace,
    where: FindOptionsWhere<IdentityProviderEntity>,
    values: Changes<IdentityProviderEntity>,
  ): Promise<ResourceDetails | undefined> {
    const [row] = await this.rows.change(tx, where, { ...values, ...COUNTED });
    return row && detailsWithOwner(await resourceOwner(this.sql, orgId, tx), row);
  }

  /** As `LoginPolicies` from the other side: the domains of an organization lead to one provider. */
  private async requireHomeRealm(
    tx: Tx,
    orgId: OrgId | null,
    { homeRealm }: IdentityProviderPlan,
  ): Promise<void> {
    if (!homeRealm || orgId === null) return;
    await advisoryLock(this.sql, tx, HOME_REALM, orgId);
    const policy = await this.policies.find({ orgId, isSet: true }, tx);
    if ((policy?.homeRealmIdpId ?? null) === null) return;
    throw new ApiError(
      'already-exists',
      'The login policy names a provider of the instance for the domains: take homeRealmIdpId out of it first',
      'IDP-Hr3lp',
    );
  }
}

const TAKEN = {
  identity_providers_one_home_realm: () =>
    new ApiError('already-exists', 'Another provider is the one for the domains already', 'IDP-Hr2ds'),
};

function planned(plan: IdentityProviderPlan) {
  return { ...pick(plan, PLAN), expiresAt: rulesOf(plan).expiresAt ?? null };
}

function whereOf({ orgId, id }: IdentityProviderPlace): FindOptionsWhere<IdentityProviderEntity> {
  return { id, orgId: orgId ?? IsNull() };
}

function placeOf(id: IdentityProviderId): SealedPlace {
  return {
    purpose: 'identity-provider-secret',
    table: 'identity_providers',
    column: 'secret_sealed',
    rowId: id,
  };
}

function toProvider(row: ProviderRow): IdentityProvider {
  // kind and settings were written together, from one record
  return { ...pick(row, ['id', 'orgId', ...PLAN]), version: row.sequence } as IdentityProvider;
}

function recordOf(row: RecordRow, owner: OrgId): IdentityProviderRecord {
  const { state, dataKeyId } = row;
  return {
    provider: toProvider(row),
    state,
    hasSecret: dataKeyId !== null,
    details: detailsWithOwner(owner, row),
  };
}
