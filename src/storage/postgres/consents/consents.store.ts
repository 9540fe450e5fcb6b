// SQL by hand: a consent is given by one upsert that locks its user and its application; consents are withdrawn by one DELETE in a fixed order
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuthorizationOwner } from '../../../domain/authorizations/authorizations.store.js';
import {
  ConsentsStore,
  type ConnectedApplication,
  type ConsentPlace,
  type ConsentRecord,
  type WithdrawnConsent,
} from '../../../domain/consents/consents.store.js';
import type { ManagementAccess } from '../../../domain/permissions/management-access.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { ApplicationId, OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { columns, COUNTED, detailsOf, Table } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { ConsentEntity } from '../tables/consent.entity.js';
import { OrganizationEntity } from '../tables/organization.entity.js';
import { LIST_CONNECTED } from './connected-statements.js';

const DETAILS = ['orgId', 'sequence', 'createdAt', 'changedAt'] as const;

const GIVE = {
  name: 'consents-give',
  text: `
    INSERT INTO consents AS c (user_id, application_id, org_id, access, scopes)
    SELECT u.id, a.id, u.org_id, $4, $5 FROM users u JOIN applications a ON a.id = $3
    WHERE u.org_id = $1 AND u.id = $2 AND u.state = 'active' AND ($4 = 'none' OR a.management_access IN ($4, 'instance'))
    -- waits for a transaction that lowers the access (application-access.ts), and then finds no row
    FOR SHARE OF u, a
    ON CONFLICT ON CONSTRAINT consents_pkey
    DO UPDATE SET access = CASE excluded.access WHEN 'none' THEN c.access ELSE excluded.access END,
      scopes = ARRAY(SELECT DISTINCT unnest(c.scopes || excluded.scopes)), sequence = c.sequence + 1, changed_at = app_now()
    RETURNING ${columns(ConsentEntity, 'c', DETAILS)}`,
};

function consentsOfUser(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ConsentEntity, 'c'), [...DETAILS, 'access'])
    .addSelect('a.id', 'id')
    .addSelect('a.clientId', 'clientId')
    .addSelect('a.name', 'name')
    .addSelect('o.id', 'ownerId')
    .addSelect('o.name', 'ownerName')
    .innerJoin(ApplicationEntity, 'a', 'a.id = c.applicationId')
    .innerJoin(OrganizationEntity, 'o', 'o.id = a.orgId')
    .where('c.orgId = :orgId AND c.userId = :userId')
    .orderBy('c.changedAt', 'DESC')
    .addOrderBy('a.id');
}

// locked in the order of the applications, so that two concurrent calls do not deadlock
const WITHDRAW = {
  name: 'consents-withdraw',
  text: `
    WITH held AS (
      SELECT user_id, application_id FROM consents
      WHERE org_id = $1 AND user_id = $2 AND ($3::text IS NULL OR application_id = $3)
      ORDER BY application_id FOR UPDATE
    )
    DELETE FROM consents c USING held h WHERE c.user_id = h.user_id AND c.application_id = h.application_id
    RETURNING ${columns(ConsentEntity, 'c', ['applicationId', 'orgId', 'createdAt'])}, c.scopes <> '{}' AS "signsIn",
      c.sequence + 1 AS sequence, app_now() AS "changedAt"`,
};

type DetailsRow = Pick<ConsentEntity, (typeof DETAILS)[number]>;
type ConsentRow = DetailsRow &
  Pick<ConsentEntity, 'access'> &
  Pick<ApplicationEntity, 'id' | 'clientId' | 'name'> & { ownerId: OrgId; ownerName: string };

@Injectable()
export class PgConsentsStore extends ConsentsStore {
  private readonly rows: Table<ConsentEntity>;
  private readonly ofUser: Query<ConsentRow, { orgId: OrgId; userId: UserId }>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, ConsentEntity);
    this.ofUser = new Query(sql, 'consents-list-of-user', consentsOfUser);
  }

  override async find(userId: UserId, applicationId: ApplicationId): Promise<ManagementAccess> {
    return (await this.rows.find({ userId, applicationId }))?.access ?? 'none';
  }

  override async lockForUpdate(
    tx: Tx,
    userId: UserId,
    applicationId: ApplicationId,
  ): Promise<ManagementAccess> {
    return (await this.rows.find({ userId, applicationId }, tx, 'shared'))?.access ?? 'none';
  }

  override async lockSignIn(
    tx: Tx,
    userId: UserId,
    applicationId: ApplicationId,
    scopes: readonly string[],
  ): Promise<boolean> {
    const found = await this.rows.find({ userId, applicationId }, tx, 'shared');
    return found !== undefined && scopes.every((scope) => found.scopes.includes(scope));
  }

  override async give(
    tx: Tx,
    { orgId, userId, applicationId }: ConsentPlace,
    access: ManagementAccess,
    scopes: readonly string[],
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<DetailsRow>(GIVE, [orgId, userId, applicationId, access, scopes], tx);
    return row && detailsOf(row);
  }

  override async listOfUser(orgId: OrgId, userId: UserId): Promise<readonly ConsentRecord[]> {
    const rows = await this.ofUser.rows({ orgId, userId });
    return rows.map(({ id, clientId, name, ownerId, ownerName, access, ...row }) => ({
      application: { id, clientId, name, orgId: ownerId, orgName: ownerName },
      access,
      details: detailsOf(row),
    }));
  }

  override async withdraw(
    tx: Tx,
    { orgId, userId }: AuthorizationOwner,
    only?: ApplicationId,
  ): Promise<readonly WithdrawnConsent[]> {
    type WithdrawnRow = DetailsRow & Pick<WithdrawnConsent, 'applicationId' | 'signsIn'>;
    const rows = await this.sql.rows<WithdrawnRow>(WITHDRAW, [orgId, userId, only ?? null], tx);
    return rows.map(({ applicationId, signsIn, ...row }) => ({
      applicationId,
      signsIn,
      details: detailsOf(row),
    }));
  }

  override async lower(tx: Tx, applicationId: ApplicationId, access: ManagementAccess): Promise<void> {
    if (access === 'none') await this.rows.removeAll(tx, { applicationId });
    const above = { applicationId, access: 'instance' } as const;
    if (access === 'organization') await this.rows.changeAll(tx, above, { access, ...COUNTED });
  }

  override async listConnected({
    orgId,
    userId,
  }: AuthorizationOwner): Promise<readonly ConnectedApplication[]> {
    type Row = Omit<ConnectedApplication, 'access'> & { access: ManagementAccess | null };
    const rows = await this.sql.rows<Row>(LIST_CONNECTED, [orgId, userId]);
    return rows.map(({ access, ...row }) => ({
      ...row,
      ...(access !== null && access !== 'none' && { access }),
    }));
  }
}
