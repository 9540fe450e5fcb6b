import { Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { importNotFound, type ImportChange, type ImportJob } from '../../domain/imports/import-job.js';
import { ImportJobs } from '../../domain/imports/import-jobs.js';
import type { ImportJobId, OrgId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg, CallerParam, type Caller } from '../shared/caller.js';
import { Documented } from '../shared/documented.js';
import { listResponse, nothingBody, type ListResponse } from '../shared/lists.js';
import { pageOf } from '../shared/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { locationOf, ReceiveUpload } from '../shared/receive-upload.js';
import { Streamed } from '../shared/streamed-body.js';
import { formatOf, Upload, type UploadCall } from '../shared/upload-call.js';
import { UploadSlots } from '../shared/upload-slots.js';
import {
  importResponse,
  importSchema,
  optionsOf,
  readImportsQuery,
  readUploadQuery,
  type ImportResponse,
} from './import-bodies.js';

export const IMPORT_ID = new PathId(importNotFound);

/** One media type: generated clients choose among several by rules of their own, and make JSON texts of files. */
const UPLOAD = {
  'application/octet-stream':
    'The file, with `format` in the query: `ndjson` (a user a line), `csv` (RFC 4180, with a header row) or `json` ' +
    '(`{"dataOrgs": {"orgs": [{"orgId": "…", "humanUsers": […]}]}}`). Without `format` the Content-Type says it: ' +
    '`application/x-ndjson`, `text/csv` or `application/json`.',
};

type Step = (tx: Tx, change: ImportChange) => Promise<ImportJob>;

/** Files of users, as jobs that go on by themselves. */
@ApiController('management/v1/imports')
export class ImportsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly imports: ImportJobs,
    private readonly receive: ReceiveUpload,
    private readonly slots: UploadSlots,
  ) {}

  @Post()
  @HttpCode(202)
  @Streamed()
  @RequiresPermission('user.import')
  @Documented({
    summary: 'Import a file of users',
    description:
      'The file may be of any size, and packed: `Content-Encoding: gzip`, or `zstd` where the runtime has it. The ' +
      'answer comes once it has arrived; a file that is cut off changes nothing. 507: the imports of the organization, ' +
      'or of all, take as much space as they may. Records may name another ' +
      'organization when the caller holds the permission in the instance.',
    query: readUploadQuery,
    upload: UPLOAD,
    statuses: [202],
    answer: importSchema,
  })
  async add(
    @Upload() upload: UploadCall,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportResponse> {
    const asked = readUploadQuery(query ?? {});
    const options = optionsOf(asked, formatOf(upload, asked.format));
    return importResponse(await this.receive.execute(upload, options, reply));
  }

  @Get()
  @RequiresPermission('user.import')
  @Documented({ summary: 'List imports', query: readImportsQuery, answer: listSchema(importSchema) })
  async list(
    @ActingOrg() orgId: OrgId,
    @CallerParam() { acting }: Caller,
    @Query() query: unknown,
  ): Promise<ListResponse<ImportResponse>> {
    const { state, ...page } = readImportsQuery(query ?? {});
    const jobs = await this.imports.list(orgId, { ...pageOf(page), states: state }, acting);
    return listResponse(jobs, importResponse);
  }

  @Get(':id')
  @RequiresPermission('user.import')
  @Documented({ summary: 'Read an import', answer: importSchema })
  async find(
    @ActingOrg() orgId: OrgId,
    @CallerParam() { acting }: Caller,
    @Param('id', IMPORT_ID) id: string,
  ): Promise<ImportResponse> {
    return importResponse(await this.imports.view(orgId, id as ImportJobId, acting));
  }

  @Post(':id/_pause')
  @HttpCode(200)
  @RequiresPermission('user.import')
  @Documented({
    summary: 'Pause an import',
    description: 'What is at work is finished first.',
    answer: importSchema,
  })
  async pause(@Call() call: ApiCall, @Param('id', IMPORT_ID) id: string): Promise<ImportResponse> {
    return await this.change(call, id, (tx, change) => this.imports.pause(tx, change));
  }

  @Post(':id/_resume')
  @HttpCode(200)
  @RequiresPermission('user.import')
  @Documented({ summary: 'Resume an import', answer: importSchema })
  async resume(@Call() call: ApiCall, @Param('id', IMPORT_ID) id: string): Promise<ImportResponse> {
    return await this.change(call, id, (tx, change) => this.imports.resume(tx, change));
  }

  @Post(':id/_cancel')
  @HttpCode(200)
  @RequiresPermission('user.import')
  @Documented({
    summary: 'Cancel an import',
    description: 'Users that it has brought in stay.',
    answer: importSchema,
  })
  async cancel(@Call() call: ApiCall, @Param('id', IMPORT_ID) id: string): Promise<ImportResponse> {
    return await this.change(call, id, (tx, change) => this.imports.cancel(tx, change));
  }

  @Post(':id/_undo')
  @HttpCode(200)
  @RequiresPermission('user.import')
  @Documented({
    summary: 'Undo an import',
    description: 'Takes out again whom it created and who has not signed in or been changed since.',
    answer: importSchema,
  })
  async undo(@Call() call: ApiCall, @Param('id', IMPORT_ID) id: string): Promise<ImportResponse> {
    return await this.change(call, id, (tx, change) => this.imports.undo(tx, change));
  }

  @Post(':id/_notify')
  @HttpCode(200)
  @RequiresPermission('user.import')
  @Documented({ summary: 'Send the messages that an import has deferred', answer: importSchema })
  async notify(@Call() call: ApiCall, @Param('id', IMPORT_ID) id: string): Promise<ImportResponse> {
    return await this.change(call, id, (tx, change) => this.imports.notify(tx, change));
  }

  @Post(':id/_retry')
  @HttpCode(202)
  @Streamed()
  @RequiresPermission('user.import')
  @Documented({
    summary: 'Retry the records of an import that failed',
    description: 'Without a body as they were; with a file, that one is imported with `retryOf`.',
    query: readUploadQuery,
    upload: UPLOAD,
    bodyRequired: false,
    statuses: [202],
    answer: importSchema,
  })
  async retry(
    @Upload() upload: UploadCall,
    @Param('id', IMPORT_ID) id: string,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportResponse> {
    const { orgId, acting, tokenId, key, body } = upload;
    const jobId = id as ImportJobId;
    if (body !== undefined) {
      const asked = readUploadQuery(query ?? {});
      const options = optionsOf(asked, formatOf(upload, asked.format));
      await this.imports.requireEnded(orgId, jobId, acting);
      return importResponse(await this.receive.execute(upload, options, reply, jobId));
    }
    // what was asked for the first time counts again
    checkBody(nothingBody, query);
    const giveBack = this.slots.take('upload', acting.actorId, orgId);
    const job = await this.imports.retry({ orgId, jobId, ...acting }, key, tokenId).finally(giveBack);
    void reply.header('location', locationOf(job.id));
    return importResponse(job);
  }

  private async change(call: ApiCall, id: string, step: Step): Promise<ImportResponse> {
    checkBody(nothingBody, call.body);
    const change = { orgId: call.orgId, jobId: id as ImportJobId, ...call.acting };
    return await this.idempotentRequests.run(
      call,
      async () => async (tx) => importResponse(await step(tx, change)),
    );
  }
}
