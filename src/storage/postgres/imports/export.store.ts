// SQL by hand: pages along the users of an organization, from several tables each
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { In } from 'typeorm';
import { exportedHash } from '../../../domain/factors/recovery-code-hash.js';
import {
  ExportStore,
  type ExportedApplicationKey,
  type ExportedGrant,
  type ExportedMachineKey,
  type ExportedMetadata,
  type ExportedUser,
  type WantedUsers,
} from '../../../domain/imports/export.store.js';
import type { CodeFactorKind } from '../../../domain/policies/factor-policy.js';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type {
  ApplicationId,
  ApplicationKeyId,
  OrgId,
  ProjectGrantId,
  ProjectId,
  ServiceUserKeyId,
  UserId,
} from '../../../domain/shared/ids.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { totpPlace, toUser, USER_COLUMNS, USER_JOINS, type UserRow } from '../users/user-rows.js';

const PAGE = 500;
/** A value of metadata may have 500,000 bytes. */
const METADATA_PAGE = 100;

const USERS = {
  name: 'export-users',
  text: `
    SELECT ${USER_COLUMNS}, p.hash AS password_hash, t.secret_sealed AS totp_sealed, t.data_key_id AS totp_key_id,
      CASE WHEN $4 THEN m.secret_hash END AS secret_hash,
      ARRAY(SELECT c.hash FROM user_recovery_codes c
            WHERE $5::boolean AND c.user_id = u.id AND c.used_at IS NULL ORDER BY c.hash) AS recovery_codes,
      ARRAY(SELECT c.kind FROM user_code_factors c WHERE c.user_id = u.id ORDER BY c.kind) AS code_factors
    FROM (SELECT * FROM users
          WHERE org_id = $1 AND kind = $2 AND state <> 'deleted' AND id > $3 ORDER BY id LIMIT ${PAGE}) AS u
    ${USER_JOINS}
    LEFT JOIN user_passwords p ON p.user_id = u.id AND $4::boolean
    LEFT JOIN user_totp_secrets t ON t.user_id = u.id AND $5::boolean
    ORDER BY u.id`,
};

// along the users of the organization, of whom the next one is found by the index that lists them
const METADATA = {
  name: 'export-metadata',
  text: `
    SELECT u.id AS user_id, m.key, m.value
    FROM (SELECT id FROM users WHERE org_id = $1 AND state <> 'deleted' AND id >= $2 ORDER BY id) AS u
    CROSS JOIN LATERAL (
      SELECT key, value FROM user_metadata WHERE user_id = u.id AND (u.id > $2 OR key > $3) ORDER BY key) AS m
    ORDER BY u.id, m.key LIMIT ${METADATA_PAGE}`,
};

const GRANTS = {
  name: 'export-grants',
  text: `
    SELECT u.id AS user_id, g.project_id, g.project_grant_id, g.state,
      ARRAY(SELECT r.role_key FROM role_assignment_roles r WHERE r.role_assignment_id = g.id ORDER BY r.role_key) AS role_keys
    FROM (SELECT id FROM users WHERE org_id = $1 AND state <> 'deleted' AND id >= $2 ORDER BY id) AS u
    CROSS JOIN LATERAL (
      SELECT * FROM role_assignments WHERE user_id = u.id AND org_id = $1 AND (u.id > $2 OR project_id > $3)
      ORDER BY project_id) AS g
    ORDER BY u.id, g.project_id LIMIT ${PAGE}`,
};

const MACHINE_KEYS = {
  name: 'export-machine-keys',
  text: `
    SELECT k.id, k.user_id, k.public_jwk, k.expires_at FROM service_user_keys k
    WHERE k.org_id = $1 AND (k.user_id, k.id) > ($2, $3) AND k.expires_at > app_now()
    ORDER BY k.user_id, k.id LIMIT ${PAGE}`,
};

const APPLICATION_KEYS = {
  name: 'export-application-keys',
  text: `
    SELECT k.id, k.application_id, a.project_id, a.client_id, k.public_jwk, k.expires_at
    FROM application_keys k JOIN applications a ON a.org_id = k.org_id AND a.id = k.application_id
    WHERE k.org_id = $1 AND (k.application_id, k.id) > ($2, $3) AND k.expires_at > app_now()
    ORDER BY k.application_id, k.id LIMIT ${PAGE}`,
};

type ExportedUserRow = UserRow & {
  password_hash: string | null;
  totp_sealed: Buffer | null;
  totp_key_id: number | null;
  secret_hash: Buffer | null;
  recovery_codes: string[];
  code_factors: CodeFactorKind[];
};

@Injectable()
export class PgExportStore extends ExportStore {
  private readonly applications: Table<ApplicationEntity>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.applications = new Table(sql, ApplicationEntity);
  }

  override async users(
    orgId: OrgId,
    { kind, withPasswords, withTotpSecrets }: WantedUsers,
    after: string,
  ): Promise<readonly ExportedUser[]> {
    const values = [orgId, kind, after, withPasswords, withTotpSecrets];
    const rows = await this.sql.rows<ExportedUserRow>(USERS, values);
    return await Promise.all(
      rows.map(async (row) => ({
        user: toUser(row),
        passwordHash: row.password_hash ?? undefined,
        totpSecret: await this.totpSecret(row),
        recoveryCodes: row.recovery_codes.map((hash) => exportedHash(this.sealer, row.id, hash)),
        codeFactors: row.code_factors,
        secretHash: row.secret_hash ?? undefined,
      })),
    );
  }

  override async metadata(
    orgId: OrgId,
    after: { readonly userId: string; readonly key: string },
  ): Promise<readonly ExportedMetadata[]> {
    type Row = { user_id: UserId; key: string; value: Buffer };
    const rows = await this.sql.rows<Row>(METADATA, [orgId, after.userId, after.key]);
    return rows.map(({ user_id: userId, key, value }) => ({ userId, key, value }));
  }

  override async grants(
    orgId: OrgId,
    after: { readonly userId: string; readonly projectId: string },
  ): Promise<readonly ExportedGrant[]> {
    type Row = {
      user_id: UserId;
      project_id: ProjectId;
      project_grant_id: ProjectGrantId | null;
      state: ActivityState;
      role_keys: string[];
    };
    const rows = await this.sql.rows<Row>(GRANTS, [orgId, after.userId, after.projectId]);
    return rows.map((row) => ({
      userId: row.user_id,
      projectId: row.project_id,
      ...(row.project_grant_id === null ? {} : { projectGrantId: row.project_grant_id }),
      roleKeys: row.role_keys,
      state: row.state,
    }));
  }

  override async machineKeys(
    orgId: OrgId,
    after: { readonly userId: string; readonly id: string },
  ): Promise<readonly ExportedMachineKey[]> {
    type Row = { id: ServiceUserKeyId; user_id: UserId; public_jwk: JWK; expires_at: Date };
    const rows = await this.sql.rows<Row>(MACHINE_KEYS, [orgId, after.userId, after.id]);
    return rows.map((row) => ({
      id: row.id,
      userId: row.user_id,
      publicJwk: row.public_jwk,
      expiresAt: row.expires_at,
    }));
  }

  override async applicationKeys(
    orgId: OrgId,
    after: { readonly applicationId: string; readonly id: string },
  ): Promise<readonly ExportedApplicationKey[]> {
    type Row = {
      id: ApplicationKeyId;
      application_id: ApplicationId;
      project_id: ProjectId;
      client_id: string;
      public_jwk: JWK;
      expires_at: Date;
    };
    const rows = await this.sql.rows<Row>(APPLICATION_KEYS, [orgId, after.applicationId, after.id]);
    return rows.map((row) => ({
      id: row.id,
      applicationId: row.application_id,
      projectId: row.project_id,
      clientId: row.client_id,
      publicJwk: row.public_jwk,
      expiresAt: row.expires_at,
    }));
  }

  override async secretHashes(
    orgId: OrgId,
    applications: readonly ApplicationId[],
  ): Promise<ReadonlyMap<ApplicationId, Buffer>> {
    const rows = await this.applications.list({ orgId, id: In(applications) }, {});
    return new Map(rows.flatMap(({ id, clientSecretHash: hash }) => (hash === null ? [] : [[id, hash]])));
  }

  private async totpSecret(row: ExportedUserRow): Promise<string | undefined> {
    const { id, totp_sealed: sealed, totp_key_id: dataKeyId } = row;
    if (sealed === null || dataKeyId === null) return undefined;
    return (await this.sealer.open(totpPlace(id), { sealed, dataKeyId })).toString();
  }
}
