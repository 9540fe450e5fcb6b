import { Injectable } from '@nestjs/common';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import {
  MOST_REGISTRATIONS_AN_HOUR,
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
import type { AuthRequestId, OrgId, RegistrationId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { BRANDING_COLUMN, BRANDING_JOIN } from '../policies/branding-column.js';
import { Sql } from '../sql.js';

/** Tries per code; the table's check constraint says the same. */
const MOST_ATTEMPTS = 5;

const FIND_ORGANIZATION = {
  name: 'registrations-find-organization',
  text: `
    SELECT ${BRANDING_COLUMN}, d.domain FROM organizations o ${BRANDING_JOIN}
    LEFT JOIN organization_domains d ON d.org_id = o.id AND d.is_primary
    WHERE o.id = $1 AND o.state = 'active'`,
};

// a user whose name is the address but who never verified it is told as well: it is their address all the same
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

const LOCK_ADDRESS = {
  name: 'registrations-lock-address',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('registrations of ' || $1, 0))`,
};

const ADD = {
  name: 'registrations-add',
  text: `
    WITH before AS (
      SELECT count(*) < ${MOST_REGISTRATIONS_AN_HOUR} AS allow FROM registrations
      WHERE email_canonical = $7 AND mailed AND created_at > (SELECT app_now()) - interval '1 hour'
    )
    INSERT INTO registrations (id, org_id, flow_id, first_name, last_name, email, email_canonical, login_name,
      user_name, locale, password_hash, code_id, code_hash, mailed, expires_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, CASE WHEN allow THEN $11 END, CASE WHEN allow THEN $12 END,
      CASE WHEN allow THEN $13::bytea END, allow, app_now() + interval '${REGISTRATION_CODE_MS} ms'
    FROM before
    RETURNING mailed, expires_at`,
};

const FIND = {
  name: 'registrations-find',
  text: `
    SELECT r.id, r.org_id, ${BRANDING_COLUMN}, r.flow_id, r.email,
      r.ended_at IS NULL AND r.expires_at > app_now() AND r.attempts < ${MOST_ATTEMPTS} AS live,
      extract(epoch FROM r.sent_at + interval '${RESEND_REGISTRATION_MS} ms' - app_now())::float8 AS resend_in
    FROM registrations r JOIN organizations o ON o.id = r.org_id ${BRANDING_JOIN} WHERE r.id = $1`,
};

const TAKE_ATTEMPT = {
  name: 'registrations-take-attempt',
  text: `
    UPDATE registrations SET attempts = attempts + 1
    WHERE id = $1 AND ended_at IS NULL AND expires_at > app_now() AND attempts < ${MOST_ATTEMPTS}
    RETURNING org_id, first_name, last_name, email, login_name, code_hash`,
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
    RETURNING org_id, CASE WHEN code_id IS NULL THEN NULL ELSE expires_at END AS expires_at`,
};

const FIND_EMAIL = {
  name: 'registrations-find-email',
  text: `SELECT email FROM registrations WHERE id = $1`,
};

// RETURNING shows the row as it has become, so the hash is read in front of the change that erases it
const END = {
  name: 'registrations-end',
  text: `
    WITH held AS (
      SELECT id, password_hash FROM registrations
      WHERE id = $1 AND ended_at IS NULL AND expires_at > app_now() AND password_hash IS NOT NULL FOR UPDATE
    )
    UPDATE registrations r SET ended_at = app_now(), password_hash = NULL, code_id = NULL, code_hash = NULL
    FROM held WHERE r.id = held.id
    RETURNING r.org_id, r.first_name, r.last_name, r.email, r.login_name, r.locale, held.password_hash`,
};

type NamesRow = { org_id: OrgId; first_name: string; last_name: string; email: string; login_name: string };
type PendingRow = {
  id: RegistrationId;
  org_id: OrgId;
  branding: OrganizationBranding;
  flow_id: AuthRequestId | null;
  email: string;
  live: boolean;
  resend_in: number;
};

@Injectable()
export class PgRegistrationsStore extends RegistrationsStore {
  constructor(private readonly sql: Sql) {
    super();
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

  override async add(tx: Tx, registration: NewRegistration): Promise<Date | undefined> {
    const { id, orgId, flowId, firstName, lastName, email, emailCanonical, secrets } = registration;
    const { loginName, userName, locale } = registration;
    await this.sql.rows(LOCK_ADDRESS, [emailCanonical], tx);
    const names = [
      id,
      orgId,
      flowId,
      firstName,
      lastName,
      email,
      emailCanonical,
      loginName,
      userName,
      locale,
    ];
    const hidden = [secrets?.passwordHash ?? null, secrets?.code.id ?? null, secrets?.code.hash ?? null];
    const row = await this.sql.row<{ mailed: boolean; expires_at: Date }>(ADD, [...names, ...hidden], tx);
    return row?.mailed === true ? row.expires_at : undefined;
  }

  override async find(id: string): Promise<PendingRegistration | undefined> {
    const row = await this.sql.row<PendingRow>(FIND, [id]);
    return (
      row && {
        id: row.id,
        orgId: row.org_id,
        organization: row.branding,
        flowId: row.flow_id ?? undefined,
        email: row.email,
        live: row.live,
        resendInSeconds: row.resend_in,
      }
    );
  }

  override async takeAttempt(
    id: string,
  ): Promise<{ readonly names: RegisteredNames; readonly codeHash: Buffer | undefined } | undefined> {
    const row = await this.sql.row<NamesRow & { code_hash: Buffer | null }>(TAKE_ATTEMPT, [id]);
    return row && { names: namesOf(row), codeHash: row.code_hash ?? undefined };
  }

  override async renew(
    tx: Tx,
    id: string,
    code: RegistrationCode,
  ): Promise<{ readonly orgId: OrgId; readonly expiresAt: Date | undefined } | undefined> {
    type Row = { org_id: OrgId; expires_at: Date | null };
    const row = await this.sql.row<Row>(RENEW, [id, code.id, code.hash], tx);
    return row && { orgId: row.org_id, expiresAt: row.expires_at ?? undefined };
  }

  override async findEmail(id: string): Promise<string | undefined> {
    return (await this.sql.row<{ email: string }>(FIND_EMAIL, [id]))?.email;
  }

  override async end(tx: Tx, id: string): Promise<EndedRegistration | undefined> {
    type Row = NamesRow & { locale: string; password_hash: string };
    const row = await this.sql.row<Row>(END, [id], tx);
    return row && { ...namesOf(row), locale: row.locale, passwordHash: row.password_hash };
  }
}

function namesOf(row: NamesRow): RegisteredNames {
  return {
    orgId: row.org_id,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    loginName: row.login_name,
  };
}
