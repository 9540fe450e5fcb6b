import { Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { importNotFound, type ImportJob } from '../../domain/imports/import-job.js';
import { ImportJobs } from '../../domain/imports/import-jobs.js';
import { RetryImport } from '../../domain/imports/receive/retry-import.js';
import { SteerImport } from '../../domain/imports/steer-import.js';
import type { ImportJobId, OrgId } from '../../domain/shared/ids.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg, CallerParam, type Caller } from '../shared/caller.js';
import { listAnswer, nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { locationOf, ReceiveUpload } from '../shared/receive-upload.js';
import { RequestSlots } from '../shared/server/request-slots.js';
import { formatOf, Upload, type UploadCall } from '../shared/upload-call.js';
import {
  importAnswer,
  importPaceAnswer,
  importsQuery,
  recordsAnswer,
  recordsQuery,
  uploadQuery,
} from './import.schemas.js';

export const Import = () => Param('id', new PathId(importNotFound));
const permission = 'user.import';

/** One media type: generated clients choose among several by rules of their own, and make JSON texts of files. */
const UPLOAD = {
  'application/octet-stream': z.string().meta({
    format: 'binary',
    description:
      'The file, with `format` in the query: `ndjson` (a user a line), `csv` (RFC 4180, with a header row) or `json` ' +
      '(`{"dataOrgs": {"orgs": [{"orgId": "…", "humanUsers": […]}]}}`). Without `format` the Content-Type says it: ' +
      '`application/x-ndjson`, `text/csv` or `application/json`.',
    examples: [
      '{"userName":"ada","profile":{"firstName":"Ada","lastName":"Lovelace"},"email":{"email":"ada@example.com"}}\n',
    ],
  }),
};

/** Imports of user files, as background jobs. */
@ApiController('management/v1/imports')
export class ImportsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly imports: ImportJobs,
    private readonly steer: SteerImport,
    private readonly retryImport: RetryImport,
    private readonly receive: ReceiveUpload,
    private readonly slots: RequestSlots,
  ) {}

  @Post()
  @Operation({
    summary: 'Import a file of users',
    description:
      'The file may be of any size, and packed: `Content-Encoding: gzip`, or `zstd` where the runtime has it. The ' +
      'answer comes once it has arrived; a file that is cut off changes nothing. 507: the imports of the organization, ' +
      'or of all, take as much space as they may. Records may name another ' +
      'organization when the caller holds the permission in the instance.',
    permission,
    stepUp: 'always',
    upload: UPLOAD,
    statuses: [202],
    answer: importAnswer,
  })
  async add(
    @Upload() upload: UploadCall,
    @Query({ schema: uploadQuery }) asked: z.output<typeof uploadQuery>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportJob> {
    return await this.receive.execute(upload, { ...asked, format: formatOf(upload, asked.format) }, reply);
  }

  @Get(':id/records')
  @Operation({
    summary: 'List what became of the records of an import',
    description: 'A page at a time, as far as the import has come. `GET …/results` downloads all of them.',
    permission,
    answer: recordsAnswer,
  })
  async records(
    @ActingOrg() orgId: OrgId,
    @CallerParam() { userId, acting }: Caller,
    @Import() id: ImportJobId,
    @Query({ schema: recordsQuery }) { page, outcome }: z.output<typeof recordsQuery>,
  ) {
    const job = await this.imports.view(orgId, id, acting);
    // rare outcomes may be spread over as many chunks as the page has entries
    const giveBack = this.slots.take('import records', userId, orgId);
    try {
      return await this.imports.records(orgId, job.id, page, outcome);
    } finally {
      giveBack();
    }
  }

  @Get()
  @Operation({ summary: 'List imports', permission, answer: listAnswer(importAnswer) })
  async list(
    @ActingOrg() orgId: OrgId,
    @CallerParam() { acting }: Caller,
    @Query({ schema: importsQuery }) asked: z.output<typeof importsQuery>,
  ) {
    return await this.imports.list(orgId, asked, acting);
  }

  @Get(':id')
  @Operation({ summary: 'Read an import', permission, answer: importAnswer })
  async find(@ActingOrg() orgId: OrgId, @CallerParam() { acting }: Caller, @Import() id: ImportJobId) {
    return await this.imports.view(orgId, id, acting);
  }

  @Get(':id/pace')
  @Operation({
    summary: 'Read how fast an import went',
    description:
      'Records a second in each of up to 120 steps of one length, from its begin to its end, or to now: `at` is the end of a ' +
      'step. `steps` is empty until the first is over.',
    permission,
    answer: importPaceAnswer,
  })
  async pace(@ActingOrg() orgId: OrgId, @CallerParam() { acting }: Caller, @Import() id: ImportJobId) {
    return { steps: await this.imports.pace(orgId, id, acting) };
  }

  @Post(':id/_pause')
  @Operation({
    summary: 'Pause an import',
    description: 'What is at work is finished first.',
    permission,
    answer: importAnswer,
  })
  async pause(@Call() call: ApiCall, @Import() id: ImportJobId): Promise<WireAnswer> {
    return await this.change('pause', call, id);
  }

  @Post(':id/_resume')
  @Operation({ summary: 'Resume an import', permission, answer: importAnswer })
  async resume(@Call() call: ApiCall, @Import() id: ImportJobId): Promise<WireAnswer> {
    return await this.change('resume', call, id);
  }

  @Post(':id/_cancel')
  @Operation({
    summary: 'Cancel an import',
    description: 'Users that it has brought in stay.',
    permission,
    answer: importAnswer,
  })
  async cancel(@Call() call: ApiCall, @Import() id: ImportJobId): Promise<WireAnswer> {
    return await this.change('cancel', call, id);
  }

  @Post(':id/_undo')
  @Operation({
    summary: 'Undo an import',
    description: 'Takes out again whom it created and who has not signed in or been changed since.',
    permission,
    answer: importAnswer,
  })
  async undo(@Call() call: ApiCall, @Import() id: ImportJobId): Promise<WireAnswer> {
    return await this.change('undo', call, id);
  }

  @Post(':id/_notify')
  @Operation({
    summary: 'Send the messages that an import has deferred',
    permission,
    answer: importAnswer,
  })
  async notify(@Call() call: ApiCall, @Import() id: ImportJobId): Promise<WireAnswer> {
    return await this.change('notify', call, id);
  }

  @Post(':id/_retry')
  @Operation({
    summary: 'Retry the records of an import that failed',
    description:
      'Without a body as they were, and by the parameters of the first time: the query is empty. With a file, that one ' +
      'is imported with `retryOf`.',
    permission,
    stepUp: 'always',
    upload: UPLOAD,
    uploadRequired: false,
    statuses: [202],
    answer: importAnswer,
  })
  async retry(
    @Upload() upload: UploadCall,
    @Import() jobId: ImportJobId,
    @Query({ schema: uploadQuery }) asked: z.output<typeof uploadQuery>,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportJob> {
    const { orgId, acting, askedWith, key, body } = upload;
    if (body !== undefined) {
      const options = { ...asked, format: formatOf(upload, asked.format) };
      await this.imports.requireEnded(orgId, jobId, acting);
      return await this.receive.execute(upload, options, reply, jobId);
    }
    // what was asked for the first time counts again
    checkBody(nothingBody, query);
    const giveBack = this.slots.take('upload', acting.actorId, orgId);
    const again = { orgId, jobId, ...acting, ...askedWith };
    const job = await this.retryImport.execute(again, key).finally(giveBack);
    void reply.header('location', locationOf(job.id));
    return job;
  }

  private async change(
    change: 'pause' | 'resume' | 'cancel' | 'undo' | 'notify',
    call: ApiCall,
    jobId: ImportJobId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const asked = { orgId: call.orgId, jobId, ...call.acting, ...call.askedWith };
    return await this.idempotentRequests.write(call, (tx) => this.steer[change](tx, asked));
  }
}
