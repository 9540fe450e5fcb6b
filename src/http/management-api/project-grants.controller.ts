import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ManageProjectGrants } from '../../domain/project-grants/manage-project-grants.js';
import {
  ProjectGrantsStore,
  type ProjectGrantPlace,
} from '../../domain/project-grants/project-grants.store.js';
import { projectGrantNotFound } from '../../domain/projects/project-not-found.js';
import type { OrgId, ProjectGrantId, ProjectId } from '../../domain/shared/ids.js';
import type { PageQuery } from '../../domain/shared/page.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  createdProjectGrantAnswer,
  grantedProjectSearchBody,
  newProjectGrantBody,
  projectGrantAnswer,
  projectGrantBody,
  projectGrantListQuery,
} from '../shared/schemas/project-grant.schemas.js';
import { Project } from './projects.controller.js';

const Grant = () => Param('grantId', new PathId(projectGrantNotFound));
const write = 'project.write';
const read = 'project.read';

/** Projects of the organization that others may use. */
@ApiController('management/v1/projects/:projectId/grants')
export class ProjectGrantsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly grants: ManageProjectGrants,
  ) {}

  @Post()
  @Operation({
    summary: 'Grant a project to another organization',
    description:
      'Its applications and service users may have the project in their audience, and it may give its own users the ' +
      'roles of `roleKeys`. It is named by its id, or by the whole of its primary domain.',
    permission: write,
    answer: createdProjectGrantAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Body({ schema: newProjectGrantBody }) body: z.output<typeof newProjectGrantBody>,
  ): Promise<WireAnswer> {
    const { grantedOrgId, grantedOrgDomain = '', roleKeys } = body;
    return await this.idempotentRequests.answer(call, async () => {
      const other = grantedOrgId ?? (await this.grants.findOrganization(grantedOrgDomain));
      const grant = { grantedOrgId: other, roleKeys, orgId: call.orgId, projectId };
      return async (tx) => await this.grants.add(tx, grant, call.caller);
    });
  }

  @Get()
  @Operation({
    summary: 'List the grants of a project',
    description: '`search` looks into the names of the other organizations.',
    permission: read,
    answer: listAnswer(projectGrantAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Project() projectId: ProjectId,
    @Query({ schema: projectGrantListQuery }) page: PageQuery,
  ) {
    return await this.grants.list(orgId, projectId, page);
  }

  @Get(':grantId')
  @Operation({
    summary: 'Get a project grant',
    permission: read,
    answer: z.object({ projectGrant: projectGrantAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId, @Project() projectId: ProjectId, @Grant() id: ProjectGrantId) {
    return { projectGrant: await this.grants.find({ orgId, projectId, id }) };
  }

  @Put(':grantId')
  @Operation({
    summary: 'Replace the roles of a project grant',
    description: 'Users of the other organization lose at once what is not in `roleKeys` any more.',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceRoles(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Grant() id: ProjectGrantId,
    @Body({ schema: projectGrantBody }) { roleKeys }: z.output<typeof projectGrantBody>,
  ): Promise<WireAnswer> {
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.change(call, (tx) =>
      this.grants.replaceRoles(tx, place, roleKeys, call.caller),
    );
  }

  @Post(':grantId/_deactivate')
  @Operation({
    summary: 'Put a project grant to rest',
    description:
      'As if it were taken away, at once, but what users of the other organization were given by it is kept.',
    permission: write,
    answer: changeAnswer,
  })
  async deactivate(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Grant() id: ProjectGrantId,
  ): Promise<WireAnswer> {
    return await this.change('deactivate', call, { orgId: call.orgId, projectId, id });
  }

  @Post(':grantId/_reactivate')
  @Operation({ summary: 'Wake a project grant', permission: write, answer: changeAnswer })
  async reactivate(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Grant() id: ProjectGrantId,
  ): Promise<WireAnswer> {
    return await this.change('reactivate', call, { orgId: call.orgId, projectId, id });
  }

  @Delete(':grantId')
  @Operation({
    summary: 'Take a project grant away',
    description:
      'Tokens of the other organization that are for the project, and the roles it gave, end at once.',
    permission: write,
    answer: changeAnswer,
  })
  async remove(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @Grant() id: ProjectGrantId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.change(call, (tx) => this.grants.remove(tx, place, call.caller));
  }

  private async change(
    what: 'deactivate' | 'reactivate',
    call: ApiCall,
    place: ProjectGrantPlace,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) => this.grants[what](tx, place, call.caller));
  }
}

/** Projects of others that the organization may use. */
@ApiController('management/v1/granted_projects')
export class GrantedProjectsController {
  constructor(private readonly grants: ProjectGrantsStore) {}

  @Post('_search')
  @Operation({
    summary: 'Search the projects that other organizations granted',
    description: 'A `nameQuery` is about the name of the project.',
    permission: read,
    answer: listAnswer(projectGrantAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Body({ schema: grantedProjectSearchBody }) search: z.output<typeof grantedProjectSearchBody>,
  ) {
    return await this.grants.listGranted(orgId, pageQuery(search));
  }
}
