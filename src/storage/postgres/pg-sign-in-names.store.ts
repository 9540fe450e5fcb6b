import { Injectable } from '@nestjs/common';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import { type NameCandidate, SignInNamesStore } from '../../domain/sign-in/sign-in-names.store.js';
import { Sql } from './sql.js';

// a handful is enough: more than one means that the name is ambiguous; names of a removed organization are not taken
// away at once, and make no other name ambiguous
const FIND_CANDIDATES = {
  name: 'sign-in-names-find-candidates',
  text: `
    WITH meant AS (
      SELECT i.user_id, true AS full_name
      FROM organization_domains d
      JOIN login_identifiers i ON i.org_id = d.org_id AND i.kind = 'user_name' AND i.canonical = $2
      WHERE d.is_primary AND d.domain = $3
      UNION ALL
      (SELECT i.user_id, false FROM login_identifiers i
       WHERE i.canonical = $1
         AND NOT EXISTS (SELECT FROM organizations o WHERE o.id = i.org_id AND o.state = 'removed')
       ORDER BY i.org_id = (SELECT default_org_id FROM instance) DESC LIMIT 5)
    )
    SELECT u.id, u.org_id, u.state = 'active' AND o.state = 'active' AS active, meant.full_name,
           u.org_id = (SELECT default_org_id FROM instance) AS in_default_org
    FROM meant JOIN users u ON u.id = meant.user_id JOIN organizations o ON o.id = u.org_id`,
};

type CandidateRow = {
  id: UserId;
  org_id: OrgId;
  active: boolean;
  full_name: boolean;
  in_default_org: boolean;
};

@Injectable()
export class PgSignInNamesStore extends SignInNamesStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findCandidates(canonical: string): Promise<readonly NameCandidate[]> {
    const at = canonical.lastIndexOf('@');
    const rows = await this.sql.rows<CandidateRow>(FIND_CANDIDATES, [
      canonical,
      at < 1 ? null : canonical.slice(0, at),
      at < 1 ? null : canonical.slice(at + 1),
    ]);
    return rows.map((row) => ({
      userId: row.id,
      orgId: row.org_id,
      active: row.active,
      full: row.full_name,
      inDefaultOrg: row.in_default_org ?? false,
    }));
  }
}
