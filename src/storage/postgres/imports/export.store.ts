// SQL by hand: one statement reads a page of an organization's users with their rows of several tables
import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { exportedHash } from '../../../domain/factors/recovery-codes/recovery-code-hash.js';
import {
  ExportStore,
  type ExportedApplicationKey,
  type ExportedMachineKey,
  type ExportedMetadata,
  type ExportedPasskey,
  type ExportedRoleAssignment,
  type ExportedUser,
  type WantedUsers,
} from '../../../domain/imports/export.store.js';
import type { ImportedIdentity } from '../../../domain/imports/records/imported-identities.js';
import type { CodeFactorKind } from '../../../domain/policies/factor-policy.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ApplicationId, OrgId, ProjectGrantId } from '../../../domain/shared/ids.js';
import { LaggingReads } from '../lagging-reads.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { columns, Table } from '../table.js';
import { ApplicationKeyEntity } from '../tables/application-key.entity.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { RoleAssignmentEntity } from '../tables/role-assignment.entity.js';
import { ServiceUserKeyEntity } from '../tables/service-user-key.entity.js';
import { totpPlace, toUser, USER_COLUMNS, USER_JOINS, type UserRow } from '../users/user-rows.js';

const PAGE = 500;
/** A value of metadata may have 500,000 bytes. */
const METADATA_PAGE = 100;

const USERS = {
  name: 'export-users',
  text: `
    SELECT ${USER_COLUMNS}, p.hash AS "passwordHash", t.secret_sealed AS "totpSealed", t.data_key_id AS "totpKeyId",
      CASE WHEN $4 THEN m.secret_hash END AS "secretHash",
      ARRAY(SELECT c.hash FROM user_recovery_codes c
            WHERE $5::boolean AND c.user_id = u.id AND c.used_at IS NULL ORDER BY c.hash) AS "recoveryCodes",
      ARRAY(SELECT c.kind FROM user_code_factors c WHERE c.user_id = u.id ORDER BY c.kind) AS "codeFactors",
      ARRAY(SELECT to_jsonb(k) || jsonb_build_object('credential_id', encode(k.credential_id, 'hex'),
              'public_key', encode(k.public_key, 'hex'), 'user_handle', encode(k.user_handle, 'hex'))
            FROM passkeys k WHERE $5::boolean AND k.user_id = u.id
            ORDER BY date_trunc('milliseconds', k.created_at), k.credential_id) AS passkeys,
      ARRAY(SELECT jsonb_build_object('providerId', i.provider_id, 'subject', i.subject, 'displayName', i.display_name)
            FROM user_identities i WHERE $6::boolean AND i.org_id = u.org_id AND i.user_id = u.id
            ORDER BY i.provider_id, i.subject) AS identities
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
    SELECT u.id AS "userId", m.key, m.value
    FROM (SELECT id FROM users WHERE org_id = $1 AND state <> 'deleted' AND id >= $2 ORDER BY id) AS u
    CROSS JOIN LATERAL (
      SELECT key, value FROM user_metadata WHERE user_id = u.id AND (u.id > $2 OR key > $3) ORDER BY key) AS m
    ORDER BY u.id, m.key LIMIT ${METADATA_PAGE}`,
};

const GRANTS = {
  name: 'export-grants',
  text: `
    SELECT u.id AS "userId", ${columns(RoleAssignmentEntity, 'g', ['projectId', 'projectGrantId', 'state'])},
      ARRAY(SELECT r.role_key FROM role_assignment_roles r WHERE r.role_assignment_id = g.id ORDER BY r.role_key) AS "roleKeys"
    FROM (SELECT id FROM users WHERE org_id = $1 AND state <> 'deleted' AND id >= $2 ORDER BY id) AS u
    CROSS JOIN LATERAL (
      SELECT * FROM role_assignments WHERE user_id = u.id AND org_id = $1 AND (u.id > $2 OR project_id > $3)
      ORDER BY project_id) AS g
    ORDER BY u.id, g.project_id LIMIT ${PAGE}`,
};

function serviceUserKeys(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ServiceUserKeyEntity, 'k'), [
    'id',
    'userId',
    'publicJwk',
    'expiresAt',
  ])
    .where('k.orgId = :orgId AND (k.userId, k.id) > (:userId, :id) AND k.expiresAt > app_now()')
    .orderBy('k.userId')
    .addOrderBy('k.id')
    .limit(PAGE);
}

function applicationKeys(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ApplicationKeyEntity, 'k'), [
    'id',
    'applicationId',
    'publicJwk',
    'expiresAt',
  ])
    .addSelect('a.projectId', 'projectId')
    .addSelect('a.clientId', 'clientId')
    .innerJoin(ApplicationEntity, 'a', 'a.orgId = k.orgId AND a.id = k.applicationId')
    .where('k.orgId = :orgId AND (k.applicationId, k.id) > (:applicationId, :id) AND k.expiresAt > app_now()')
    .orderBy('k.applicationId')
    .addOrderBy('k.id')
    .limit(PAGE);
}

type ExportedUserRow = UserRow & {
  passwordHash: string | null;
  totpSealed: Buffer | null;
  totpKeyId: number | null;
  secretHash: Buffer | null;
  recoveryCodes: string[];
  codeFactors: CodeFactorKind[];
  passkeys: PasskeyJson[];
  identities: ImportedIdentity[];
};

/** As `to_jsonb` writes a row. */
interface PasskeyJson {
  readonly credential_id: string;
  readonly public_key: string;
  readonly user_handle: string;
  readonly sign_count: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly passwordless: boolean;
  readonly backup_eligible: boolean;
  readonly backed_up: boolean;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly counter_went_back_at: string | null;
}

@Injectable()
export class PgExportStore extends ExportStore {
  private readonly applications: Table<ApplicationEntity>;
  private readonly keysOfServiceUsers: Query<
    ExportedMachineKey,
    { orgId: OrgId; userId: string; id: string }
  >;
  private readonly keysOfApplications: Query<
    ExportedApplicationKey,
    { orgId: OrgId; applicationId: string; id: string }
  >;

  constructor(
    sql: Sql,
    private readonly reads: LaggingReads,
    private readonly sealer: Sealer,
  ) {
    super();
    this.applications = new Table(sql, ApplicationEntity);
    this.keysOfServiceUsers = new Query(sql, 'export-machine-keys', serviceUserKeys);
    this.keysOfApplications = new Query(sql, 'export-application-keys', applicationKeys);
  }

  override async users(
    orgId: OrgId,
    { kind, withPasswords, withFactors, withIdentities }: WantedUsers,
    after: string,
  ): Promise<readonly ExportedUser[]> {
    const values = [orgId, kind, after, withPasswords, withFactors, withIdentities];
    const rows = await this.reads.rows<ExportedUserRow>(USERS, values);
    return await Promise.all(
      rows.map(async (row) => ({
        user: toUser(row),
        passwordHash: row.passwordHash ?? undefined,
        totpSecret: await this.totpSecret(row),
        recoveryCodes: row.recoveryCodes.map((hash) => exportedHash(this.sealer, row.id, hash)),
        codeFactors: row.codeFactors,
        passkeys: row.passkeys.map(passkeyOf),
        identities: row.identities,
        secretHash: row.secretHash ?? undefined,
      })),
    );
  }

  override async metadata(
    orgId: OrgId,
    after: { readonly userId: string; readonly key: string },
  ): Promise<readonly ExportedMetadata[]> {
    type Row = Pick<ExportedMetadata, keyof ExportedMetadata>;
    return await this.reads.rows<Row>(METADATA, [orgId, after.userId, after.key]);
  }

  override async grants(
    orgId: OrgId,
    after: { readonly userId: string; readonly projectId: string },
  ): Promise<readonly ExportedRoleAssignment[]> {
    type Row = Omit<ExportedRoleAssignment, 'projectGrantId'> & { projectGrantId: ProjectGrantId | null };
    const rows = await this.reads.rows<Row>(GRANTS, [orgId, after.userId, after.projectId]);
    return rows.map(({ projectGrantId, ...row }) => ({
      ...row,
      ...(projectGrantId !== null && { projectGrantId }),
    }));
  }

  override async machineKeys(
    orgId: OrgId,
    after: { readonly userId: string; readonly id: string },
  ): Promise<readonly ExportedMachineKey[]> {
    return await this.keysOfServiceUsers.rows({ orgId, ...after });
  }

  override async applicationKeys(
    orgId: OrgId,
    after: { readonly applicationId: string; readonly id: string },
  ): Promise<readonly ExportedApplicationKey[]> {
    return await this.keysOfApplications.rows({ orgId, ...after });
  }

  override async secretHashes(
    orgId: OrgId,
    applications: readonly ApplicationId[],
  ): Promise<ReadonlyMap<ApplicationId, Buffer>> {
    const rows = await this.applications.list({ orgId, id: In(applications) }, {});
    return new Map(rows.flatMap(({ id, clientSecretHash: hash }) => (hash === null ? [] : [[id, hash]])));
  }

  private async totpSecret(row: ExportedUserRow): Promise<string | undefined> {
    const { id, totpSealed: sealed, totpKeyId: dataKeyId } = row;
    if (sealed === null || dataKeyId === null) return undefined;
    return (await this.sealer.open(totpPlace(id), { sealed, dataKeyId })).toString();
  }
}

function passkeyOf(row: PasskeyJson): ExportedPasskey {
  const { transports, name, passwordless } = row;
  const time = (text: string | null): Date | undefined => (text === null ? undefined : new Date(text));
  return {
    credentialId: Buffer.from(row.credential_id, 'hex'),
    publicKey: Buffer.from(row.public_key, 'hex'),
    userHandle: Buffer.from(row.user_handle, 'hex'),
    signCount: row.sign_count,
    transports,
    name,
    passwordless,
    backupEligible: row.backup_eligible,
    backedUp: row.backed_up,
    createdAt: new Date(row.created_at),
    lastUsedAt: time(row.last_used_at),
    counterWentBackAt: time(row.counter_went_back_at),
  };
}
