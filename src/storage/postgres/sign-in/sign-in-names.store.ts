// SQL by hand: every sign-in resolves the typed name to users by one statement
import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import {
  MOST_ACCOUNTS_LISTED,
  SignInNamesStore,
  type AccountOfAddress,
  type NameCandidate,
  type SignInPlace,
} from '../../../domain/sign-in/sign-in-names.store.js';
import { domainInAscii, partsOfName } from '../../../domain/users/names/user-name.js';
import { USABLE_STATES } from '../../../domain/users/user.js';
import { RESEND_COOLDOWN_MS } from '../../../domain/users/verification/verification-codes.store.js';
import { advisoryLock } from '../advisory-lock.js';
import { oneOf } from '../one-of.js';
import { Sql } from '../sql.js';
import { withinCodeLimits } from '../users/code-limits.js';
import { loginName, primaryDomainJoin } from '../users/login-name.js';

/**
 * SQL: whether an e-mail address identifies its user outside of their organization: the user has proven it, or the organization has
 * verified its domain. Checked at each sign-in, so that a domain that is removed no longer counts. Names of a removed organization are
 * not deleted at once, and do not count.
 *
 * @param domain the parameter with the address's domain in ASCII
 */
function countsEverywhere(domain: string): string {
  return `(i.proven OR EXISTS (SELECT FROM organization_domains d
             WHERE d.org_id = i.org_id AND d.domain = ${domain} AND d.is_verified))
         AND NOT EXISTS (SELECT FROM organizations o WHERE o.id = i.org_id AND o.state = 'removed')`;
}

/** SQL: the organization that a name without a domain belongs to. Parameters: that of the application, and whether the sign-in is to our own pages. */
function applicationsOrganization(given: string, ownPages: string): string {
  return `coalesce(${given}::text, CASE WHEN ${ownPages}::boolean THEN (SELECT default_org_id FROM instance) END)`;
}

// each part of the UNION is a look-up by key. Of addresses in other organizations, two are enough: the name is ambiguous then. Names in
// the two organizations of `place` are all returned, and so is a user who has proven an address that is another user's full login name
const FIND_CANDIDATES = {
  name: 'sign-in-names-find-candidates',
  text: `
    WITH place AS (SELECT $4::text AS named, ${applicationsOrganization('$5', '$6')} AS application),
    meant AS (
      SELECT i.user_id, true AS full_name, false AS proven
      FROM organization_domains d
      JOIN login_identifiers i ON i.org_id = d.org_id AND i.kind = 'user_name' AND i.canonical = $2
      WHERE d.is_primary AND d.domain = $3
      UNION ALL
      SELECT i.user_id, false, true
      FROM organization_domains d
      JOIN login_identifiers i ON i.org_id = d.org_id AND i.kind = 'email' AND i.canonical = $1 AND i.proven
      WHERE d.is_primary AND d.domain = $3
        AND NOT EXISTS (SELECT FROM organizations o WHERE o.id = i.org_id AND o.state = 'removed')
      UNION ALL
      SELECT i.user_id, false, i.proven
      FROM login_identifiers i
      WHERE i.canonical = $1 AND i.kind IN ('user_name', 'email')
        AND i.org_id = ANY (ARRAY[$4, ${applicationsOrganization('$5', '$6')}])
        AND NOT EXISTS (SELECT FROM organizations o WHERE o.id = i.org_id AND o.state = 'removed')
      UNION ALL
      (SELECT i.user_id, false, i.proven FROM login_identifiers i
       WHERE i.canonical = $1 AND i.kind = 'email' AND ${countsEverywhere('$3')} LIMIT 2)
    )
    SELECT u.id AS "userId", u.org_id AS "orgId", u.state = 'active' AND o.state = 'active' AS active,
           meant.full_name AS "full", meant.proven,
           CASE u.org_id WHEN place.named THEN 'named' WHEN place.application THEN 'application'
                         ELSE 'elsewhere' END AS at
    FROM place, meant JOIN users u ON u.id = meant.user_id JOIN organizations o ON o.id = u.org_id`,
};

const FIND_ACCOUNTS = {
  name: 'sign-in-names-find-accounts',
  text: `
    WITH place AS (SELECT $3::text AS named, ${applicationsOrganization('$4', '$5')} AS application)
    SELECT u.id AS "userId", u.org_id AS "orgId", o.name AS "organizationName",
      ${loginName('u.user_name', 'p.domain')} AS "loginName", h.email AS address,
      u.state <> 'initial' AS "hasPassword"
    FROM place, login_identifiers i
    JOIN users u ON u.id = i.user_id
    JOIN user_humans h ON h.user_id = u.id
    JOIN organizations o ON o.id = u.org_id
    ${primaryDomainJoin('u.org_id', 'p')}
    WHERE i.canonical = $1 AND i.kind = 'email' AND u.state ${oneOf(USABLE_STATES)} AND o.state = 'active'
      AND (coalesce(i.org_id IN (place.named, place.application), false) OR ${countsEverywhere('$2')})
    ORDER BY coalesce(i.org_id = place.named, false) DESC, coalesce(i.org_id = place.application, false) DESC,
      o.name, u.id
    LIMIT ${MOST_ACCOUNTS_LISTED}`,
};

const MAY_NOTIFY = {
  name: 'sign-in-names-may-notify',
  text: `
    SELECT ${withinCodeLimits('$2')}
      AND coalesce(max(created_at) <= app_now() - interval '${RESEND_COOLDOWN_MS} ms', true) AS allowed
    FROM notifications
    WHERE user_id = ANY ($1::text[]) AND template = 'reset_choice' AND created_at > app_now() - interval '1 hour'`,
};

@Injectable()
export class PgSignInNamesStore extends SignInNamesStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findCandidates(canonical: string, place: SignInPlace): Promise<readonly NameCandidate[]> {
    const parts = partsOfName(canonical);
    return await this.sql.rows<Pick<NameCandidate, keyof NameCandidate>>(FIND_CANDIDATES, [
      canonical,
      parts?.local ?? null,
      parts === undefined ? null : domainInAscii(parts.domain),
      place.named ?? null,
      place.application ?? null,
      place.ownPages ?? false,
    ]);
  }

  override async findAccountsOf(
    canonicalAddress: string,
    place: SignInPlace,
  ): Promise<readonly AccountOfAddress[]> {
    const parts = partsOfName(canonicalAddress);
    if (parts === undefined) return [];
    return await this.sql.rows<Pick<AccountOfAddress, keyof AccountOfAddress>>(FIND_ACCOUNTS, [
      canonicalAddress,
      domainInAscii(parts.domain),
      place.named ?? null,
      place.application ?? null,
      place.ownPages ?? false,
    ]);
  }

  override async mayNotifyAccounts(
    tx: Tx,
    canonicalAddress: string,
    userIds: readonly UserId[],
    source: Buffer,
  ): Promise<boolean> {
    await advisoryLock(this.sql, tx, 'accounts of', canonicalAddress);
    return (await this.sql.row<{ allowed: boolean }>(MAY_NOTIFY, [userIds, source], tx))?.allowed === true;
  }
}
