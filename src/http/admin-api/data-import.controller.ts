import { Socket } from 'node:net';
import { Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataOrgsReader } from '../../domain/imports/formats/data-orgs.js';
import { SourceTooLarge } from '../../domain/imports/formats/unpack.js';
import { BeginImport } from '../../domain/imports/receive/begin-import.js';
import { ReceiveImport } from '../../domain/imports/receive/receive-import.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { ImportJobId } from '../../domain/shared/ids.js';
import { ApiController } from '../shared/api-controller.js';
import { DuplicateUploads } from '../shared/duplicate-uploads.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { locationOf } from '../shared/receive-upload.js';
import { UnreadableBody } from '../shared/server/json-body.js';
import { RequestSlots } from '../shared/server/request-slots.js';
import { drain } from '../shared/server/streamed-body.js';
import { formatOf, Upload, type UploadCall } from '../shared/upload-call.js';
import { DataImport } from './data-import.js';
import { DataItems } from './data-items.js';
import { importedAnswer, importedFile, type ImportedData } from './organization-data.schemas.js';

const OPTIONS = {
  format: 'json',
  mode: 'insert',
  dryRun: false,
  notify: 'now',
  updatePasswords: false,
} as const;

/** Whole organizations at once (protocol §2.1): an import like any other, of more than users. */
@ApiController('admin/v1/import')
export class DataImportController {
  constructor(
    private readonly beginImport: BeginImport,
    private readonly receive: ReceiveImport,
    private readonly data: DataImport,
    private readonly duplicateUploads: DuplicateUploads,
    private readonly slots: RequestSlots,
  ) {}

  @Post()
  @Operation({
    summary: 'Import organizations with all that we know how to keep',
    description:
      'Waits for up to `timeout` (30 minutes where it is missing) and answers 504 with the id of the import past ' +
      'that, while it goes on; with `Prefer: respond-async` it answers 202 once the file has arrived. What has no ' +
      'place here is reported in `errors`. Every organization must have an `orgId`.',
    permission: 'iam.write',
    stepUp: 'always',
    upload: { 'application/json': importedFile },
    statuses: [200, 202],
    answer: importedAnswer,
  })
  async add(
    @Upload() upload: UploadCall,
    @Query({ schema: nothingBody }) _query: object,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportedData> {
    const began = performance.now();
    if (formatOf(upload, undefined) !== 'json')
      throw new UnreadableBody(415, 3, 'the body must be application/json');
    const { body } = upload;
    if (body === undefined) throw new ApiError('invalid-argument', 'dataOrgs is required');
    const giveBack = this.slots.take('upload', upload.caller, upload.orgId);
    try {
      return await this.take({ ...upload, body }, request, reply, began);
    } catch (error) {
      drain(body);
      throw error instanceof SourceTooLarge ? new UnreadableBody(413, 8, error.text) : error;
    } finally {
      giveBack();
    }
  }

  private async take(
    upload: UploadCall & { readonly body: NonNullable<UploadCall['body']> },
    request: FastifyRequest,
    reply: FastifyReply,
    began: number,
  ): Promise<ImportedData> {
    const { acting, orgId, askedWith, key, body, encoding, length } = upload;
    const { actorId: callerId, through } = acting;
    const asked = { ...askedWith, orgId, callerId, through, idempotencyKey: key, bytesExpected: length };
    const begun = await this.beginImport.execute({ ...OPTIONS, ...asked });
    const items = new DataItems();
    const reader = new DataOrgsReader(items.keep);
    const job =
      'known' in begun
        ? await this.duplicateUploads.check(begun.known, OPTIONS, { body, encoding, format: 'json' }, reader)
        : await this.receive.receive(begun.begun, body, reader, encoding);
    if (/\brespond-async\b/i.test(String(request.headers.prefer ?? ''))) {
      void reply.header('preference-applied', 'respond-async');
      return accepted(reply, job.id);
    }
    // nothing goes over the connection while it waits
    if (request.raw.socket instanceof Socket) request.raw.socket.setTimeout(0);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const ended = await this.data.wait(job, items.timeoutMs - (performance.now() - began), gone.signal);
    if (ended === undefined) {
      throw new ApiError('deadline-exceeded', `the import goes on as ${job.id}`, 'IMPORT-4tMo8');
    }
    return await this.data.describe(ended);
  }
}

function accepted(reply: FastifyReply, id: ImportJobId): ImportedData {
  void reply.code(202).header('location', locationOf(id));
  return { importId: id };
}
