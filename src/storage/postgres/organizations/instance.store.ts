import { Injectable } from '@nestjs/common';
import { InstanceStore, type Instance } from '../../../domain/organizations/instance.store.js';
import type { OrgId, ProjectId } from '../../../domain/shared/ids.js';
import { Sql } from '../sql.js';

const READ = { name: 'instance-read', text: 'SELECT default_org_id, api_project_id FROM instance' };

@Injectable()
export class PgInstanceStore extends InstanceStore {
  private known: Instance | undefined;

  constructor(private readonly sql: Sql) {
    super();
  }

  override async read(): Promise<Instance> {
    this.known ??= await this.load();
    return this.known;
  }

  private async load(): Promise<Instance> {
    const row = await this.sql.row<{ default_org_id: OrgId; api_project_id: ProjectId }>(READ, []);
    if (row === undefined) throw new Error('the instance is not set up yet: run bootstrap');
    return { defaultOrgId: row.default_org_id, apiProjectId: row.api_project_id };
  }
}
