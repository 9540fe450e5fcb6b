import { Injectable } from '@nestjs/common';
import {
  RoleAndMetadataStore,
  type HeldRole,
  type RolesAndMetadata,
} from '../../../domain/tokens/role-and-metadata.store.js';
import { Sql } from '../sql.js';

const FIND = {
  name: 'role-and-metadata-find',
  text: `
    SELECT o.id AS org_id, o.name AS org_name, coalesce(d.domain, '') AS primary_domain,
      coalesce((SELECT json_agg(json_build_object('projectId', g.project_id, 'key', r.role_key, 'orgId', g.org_id,
                                                  'domain', coalesce(gd.domain, '')) ORDER BY r.role_key)
                FROM role_assignments g
                JOIN role_assignment_roles r ON r.role_assignment_id = g.id
                JOIN projects p ON p.id = g.project_id AND p.state = 'active'
                JOIN organizations po ON po.id = g.project_org_id AND po.state = 'active'
                JOIN organizations go ON go.id = g.org_id AND go.state = 'active'
                LEFT JOIN organization_domains gd ON gd.org_id = g.org_id AND gd.is_primary
                WHERE g.user_id = u.id AND g.project_id = ANY ($2) AND g.state = 'active'), '[]') AS roles,
      CASE WHEN $3 THEN (SELECT json_agg(json_build_array(m.key, encode(m.value, 'base64')) ORDER BY m.key)
                         FROM user_metadata m WHERE m.user_id = u.id) END AS metadata
    FROM users u
    JOIN organizations o ON o.id = u.org_id
    LEFT JOIN organization_domains d ON d.org_id = o.id AND d.is_primary
    WHERE u.id = $1`,
};

type RolesAndMetadataRow = {
  org_id: string;
  org_name: string;
  primary_domain: string;
  roles: HeldRole[];
  metadata: [key: string, base64: string][] | null;
};

@Injectable()
export class PgRoleAndMetadataStore extends RoleAndMetadataStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find(
    userId: string,
    { projectIds, metadata }: { readonly projectIds: readonly string[]; readonly metadata: boolean },
  ): Promise<RolesAndMetadata | undefined> {
    const row = await this.sql.pipelined<RolesAndMetadataRow>(FIND, [userId, projectIds, metadata]);
    return (
      row && {
        orgId: row.org_id,
        orgName: row.org_name,
        primaryDomain: row.primary_domain,
        roles: row.roles,
        metadata: Object.fromEntries(
          (row.metadata ?? []).map(([key, base64]) => [key, Buffer.from(base64, 'base64')]),
        ),
      }
    );
  }
}
