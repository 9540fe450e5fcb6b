// SQL by hand: attempts are counted, codes renewed and registrations ended by one conditional UPDATE each
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import {
  MOST_REGISTRATIONS_AN_HOUR,
  MOST_REGISTRATIONS_OF_ADDRESS_AN_HOUR,
  MOST_RESENDS,
  REGISTRATION_CODE_MS,
  REGISTRATION_MS,
  RegistrationsStore,
  RESEND_REGISTRATION_MS,
  type EndedRegistration,
  type KnownNames,
  type NewRegistration,
  type PendingRegistration,
  type RegisteredNames,
  type RegistrationCode,
  type RegistrationOrganization,
} from '../../../domain/registration/registrations.store.js';
import type { OrgId, RegistrationId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { advisoryLock } from '../advisory-lock.js';
import { BRANDING_COLUMN, BRANDING_JOIN } from '../policies/branding-column.js';
import { Sql } from '../sql.js';
import { columns, Table } from '../table.js';
import { RegistrationEntity } from '../tables/registration.entity.js';
import { primaryDomainJoin } from '../users/login-name.js';

/** Attempts per code, as in the check constraint of the table. */
const MOST_ATTEMPTS = 5;

const FIND_ORGANIZATION = {
  name: 'registrations-find-organization',
  text: `
    SELECT ${BRANDING_COLUMN}, d.domain FROM organizations o ${BRANDING_JOIN}
    ${primaryDomainJoin('o.id')}
    WHERE o.id = $1 AND o.state = 'active'`,
};

// also a user whose user name is taken and who has this address, though they never verified it
const FIND_KNOWN = {
  name: 'registrations-find-known',
  text: `
    WITH named AS (
      SELECT user_id FROM login_identifiers WHERE org_id = $1 AND kind = 'user_name' AND canonical = $2
    )
    SELECT (SELECT user_id FROM named) AS by_user_name,
      coalesce((SELECT user_id FROM login_identifiers WHERE org_id = $1 AND kind = 'email' AND canonical = $3),
               (SELECT h.user_id FROM user_humans h JOIN named USING (user_id) WHERE lower(h.email) = $3)) AS by_email`,
};

const FIND = {
  name: 'registrations-find',
  text: `
    SELECT ${columns(RegistrationEntity, 'r', ['id', 'orgId', 'flowId', 'email', 'external'])}, ${BRANDING_COLUMN},
      r.ended_at IS NULL AND r.expires_at > app_now() AND r.attempts < ${MOST_ATTEMPTS} AS live,
      extract(epoch FROM r.sent_at + interval '${RESEND_REGISTRATION_MS} ms' - app_now())::float8 AS "resendInSeconds"
    FROM registrations r JOIN organizations o ON o.id = r.org_id ${BRANDING_JOIN} WHERE r.id = $1`,
};

const NAMES = columns(RegistrationEntity, 'r', ['orgId', 'email', 'loginName']);
const TAKE_ATTEMPT = {
  name: 'registrations-take-attempt',
  text: `
    UPDATE registrations r SET attempts = attempts + 1
    WHERE id = $1 AND ended_at IS NULL AND expires_at > app_now() AND attempts < ${MOST_ATTEMPTS}
    RETURNING ${NAMES}, ${columns(RegistrationEntity, 'r', ['codeHash'])}`,
};

const RENEW = {
  name: 'registrations-renew',
  text: `
    UPDATE registrations SET resends = resends + 1, attempts = 0, sent_at = app_now(),
      expires_at = app_now() + interval '${REGISTRATION_CODE_MS} ms',
      code_id = CASE WHEN code_id IS NULL THEN NULL ELSE $2 END,
      code_hash = CASE WHEN code_id IS NULL THEN NULL ELSE $3::bytea END
    WHERE id = $1 AND ended_at IS NULL AND resends < ${MOST_RESENDS}
      AND sent_at <= app_now() - interval '${RESEND_REGISTRATION_MS} ms'
      AND created_at > app_now() - interval '${REGISTRATION_MS} ms'
    RETURNING org_id AS "orgId", CASE WHEN code_id IS NULL THEN NULL ELSE expires_at END AS "expiresAt"`,
};

// RETURNING gives the new values, so the hash is read before the UPDATE that deletes it
const END = {
  name: 'registrations-end',
  text: `
    WITH held AS (
      SELECT id, password_hash FROM registrations
      WHERE id = $1 AND ended_at IS NULL AND expires_at > app_now() AND password_hash IS NOT NULL FOR UPDATE
    )
    UPDATE registrations r SET ended_at = app_now(), password_hash = NULL, code_id = NULL, code_hash = NULL
    FROM held WHERE r.id = held.id
    RETURNING ${NAMES}, r.locale, r.external, held.password_hash AS "passwordHash"`,
};

type PendingRow = Pick<RegistrationEntity, 'id' | 'orgId' | 'flowId' | 'email' | 'external'> &
  Pick<PendingRegistration, 'live' | 'resendInSeconds'> & { branding: OrganizationBranding };

@Injectable()
export class PgRegistrationsStore extends RegistrationsStore {
  private readonly rows: Table<RegistrationEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, RegistrationEntity);
  }

  override async findOrganization(orgId: OrgId): Promise<RegistrationOrganization | undefined> {
    const row = await this.sql.row<{ branding: OrganizationBranding; domain: string | null }>(
      FIND_ORGANIZATION,
      [orgId],
    );
    return row && { organization: row.branding, primaryDomain: row.domain ?? undefined };
  }

  override async findKnown(orgId: OrgId, userName: string, emailCanonical: string): Promise<KnownNames> {
    type Row = { by_user_name: UserId | null; by_email: UserId | null };
    const row = await this.sql.row<Row>(FIND_KNOWN, [orgId, userName, emailCanonical]);
    return { byUserName: row?.by_user_name ?? undefined, byEmail: row?.by_email ?? undefined };
  }

  override async add(tx: Tx, { secrets, ...registration }: NewRegistration): Promise<Date | undefined> {
    // serializes registrations with the same address, so that each counts those before
    await advisoryLock(this.sql, tx, 'registrations', registration.emailCanonical);
    const { emailCanonical, source } = registration;
    const createdAt = Raw((column) => `${column} > (SELECT app_now()) - interval '1 hour'`);
    const before = { emailCanonical, mailed: true, createdAt };
    const mailed =
      (await this.rows.count({ ...before, source }, tx)) < MOST_REGISTRATIONS_AN_HOUR &&
      (await this.rows.count(before, tx)) < MOST_REGISTRATIONS_OF_ADDRESS_AN_HOUR;
    const kept = mailed ? secrets : undefined;
    const row = await this.rows.add(tx, {
      ...registration,
      passwordHash: kept?.passwordHash ?? null,
      codeId: kept?.code.id ?? null,
      codeHash: kept?.code.hash ?? null,
      mailed,
      expiresAt: () => `app_now() + interval '${REGISTRATION_CODE_MS} ms'`,
    });
    return row.mailed ? row.expiresAt : undefined;
  }

  override async find(id: string): Promise<PendingRegistration | undefined> {
    const row = await this.sql.row<PendingRow>(FIND, [id]);
    if (row === undefined) return undefined;
    const { branding: organization, flowId, ...registration } = row;
    return { ...registration, organization, flowId: flowId ?? undefined };
  }

  override async takeAttempt(
    id: string,
  ): Promise<{ readonly names: RegisteredNames; readonly codeHash: Buffer | undefined } | undefined> {
    type Row = RegisteredNames & Pick<RegistrationEntity, 'codeHash'> & Record<string, unknown>;
    const row = await this.sql.row<Row>(TAKE_ATTEMPT, [id]);
    if (row === undefined) return undefined;
    const { codeHash, ...names } = row;
    return { names, codeHash: codeHash ?? undefined };
  }

  override async renew(
    tx: Tx,
    id: string,
    code: RegistrationCode,
  ): Promise<{ readonly orgId: OrgId; readonly expiresAt: Date | undefined } | undefined> {
    type Row = { orgId: OrgId; expiresAt: Date | null };
    const row = await this.sql.row<Row>(RENEW, [id, code.id, code.hash], tx);
    return row && { orgId: row.orgId, expiresAt: row.expiresAt ?? undefined };
  }

  override async findEmail(id: string): Promise<string | undefined> {
    return (await this.rows.find({ id: id as RegistrationId }))?.email;
  }

  override async end(tx: Tx, id: string): Promise<EndedRegistration | undefined> {
    return await this.sql.row<EndedRegistration & Record<string, unknown>>(END, [id], tx);
  }
}
