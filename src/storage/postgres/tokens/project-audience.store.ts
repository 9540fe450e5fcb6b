import { Injectable } from '@nestjs/common';
import type { OrgId } from '../../../domain/shared/ids.js';
import { ProjectAudienceStore } from '../../../domain/tokens/project-audience.js';
import { Sql } from '../sql.js';
import { mayNameProject } from './audience-rule.js';

// SQL for its shape: asked where an authorization names projects, and at token exchange
const REACHABLE = {
  name: 'project-audience-reachable',
  text: `
    SELECT p.id FROM projects p
    WHERE p.id = ANY ($2::text[]) AND p.state = 'active' AND ${mayNameProject({ project: 'p', orgId: '$1' })}
    UNION
    SELECT a.client_id FROM applications a JOIN projects p ON p.id = a.project_id AND p.state = 'active'
    WHERE a.client_id = ANY ($2) AND a.state = 'active' AND ${mayNameProject({ project: 'p', orgId: '$1' })}`,
};

@Injectable()
export class PgProjectAudienceStore extends ProjectAudienceStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async reachable(orgId: OrgId, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.sql.pipelinedRows<{ id: string }>(REACHABLE, [orgId, ids]);
    return new Set(rows.map(({ id }) => id));
  }
}
