import { Socket } from 'node:net';
import { HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DataOrgsReader, type DataOrgsRecord } from '../../domain/import/formats/data-orgs.js';
import type { SourceReader } from '../../domain/import/formats/source-record.js';
import { SourceTooLarge } from '../../domain/import/formats/unpack.js';
import { ImportJobs } from '../../domain/import-jobs/import-jobs.js';
import { ReceiveImport } from '../../domain/import-jobs/receive-import.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { ImportJobId } from '../../domain/shared/ids.js';
import { Log } from '../../domain/shared/log.js';
import { locationOf } from '../management-api/receive-upload.js';
import { formatOf, Upload, type UploadCall } from '../management-api/upload-call.js';
import { UploadSlots } from '../management-api/upload-slots.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { Documented } from '../shared/documented.js';
import { UnreadableBody } from '../shared/json-body.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { drain, Streamed } from '../shared/streamed-body.js';
import { DataImport, type DataImportRun, type ImportedData } from './data-import.js';
import { DataItems } from './data-items.js';

const ids = z.array(z.string()).optional();
const importedSchema = z.strictObject({
  errors: z
    .array(z.strictObject({ type: z.string(), id: z.string(), message: z.string() }))
    .optional()
    .meta({ description: 'What was not imported, and why.' }),
  success: z
    .strictObject({
      orgs: z
        .array(
          z.strictObject({
            orgId: z.string(),
            humanUserIds: ids,
            machineUserIds: ids,
            projectIds: ids,
            projectRoles: ids,
            oidcAppIds: ids,
            userMetadata: z.array(z.strictObject({ userId: z.string(), key: z.string() })).optional(),
            userGrants: z.array(z.strictObject({ projectId: z.string(), userId: z.string() })).optional(),
            orgMembers: ids,
            domains: ids,
          }),
        )
        .optional(),
    })
    .optional(),
  importId: z.string().optional().meta({ description: 'With 202: the import of the users, which goes on.' }),
});

type Answer = ImportedData | { readonly importId: ImportJobId };

/** Whole organizations at once (contract §2.1). Users of it are an import like any other. */
@ApiController('admin/v1/import')
export class DataImportController {
  constructor(
    private readonly imports: ImportJobs,
    private readonly receive: ReceiveImport,
    private readonly data: DataImport,
    private readonly slots: UploadSlots,
    private readonly log: Log,
  ) {}

  @Post()
  @HttpCode(200)
  @Streamed()
  @RequiresPermission('iam.write')
  @Documented({
    summary: 'Import organizations with all that we know how to keep',
    description:
      'Waits for up to `timeout` (30 minutes where it is missing) and answers 504 with the id of the import past ' +
      'that, while it goes on; with `Prefer: respond-async` it answers 202 once the file has arrived. What has no ' +
      'place here is reported in `errors`. Every organization must have an `orgId`.',
    upload: { 'application/json': '`{"dataOrgs": {"orgs": […]}, "timeout": "30m"}`' },
    statuses: [200, 202],
    answer: importedSchema,
  })
  async add(
    @Upload() upload: UploadCall,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    readNothing(query ?? {});
    const began = performance.now();
    if (formatOf(upload, undefined) !== 'json')
      throw new UnreadableBody(415, 3, 'the body must be application/json');
    const { body } = upload;
    if (body === undefined) throw new ApiError('invalid-argument', 'dataOrgs is required');
    const giveBack = this.slots.take('upload', upload.caller);
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
    { caller, orgId, key, body, encoding }: UploadCall & { readonly body: NonNullable<UploadCall['body']> },
    request: FastifyRequest,
    reply: FastifyReply,
    began: number,
  ): Promise<Answer> {
    const begun = await this.imports.begin({
      format: 'json',
      mode: 'insert',
      dryRun: false,
      notify: 'now',
      updatePasswords: false,
      orgId,
      callerId: caller,
      idempotencyKey: key,
    });
    if ('known' in begun) {
      // what hangs on the users is under way, or was told the first time
      await this.receive.measure({ body, encoding, format: 'json' });
      return accepted(reply, begun.known.id);
    }
    const items = new DataItems();
    const reader = new MarkedMachines(new DataOrgsReader(items.keep));
    let run: DataImportRun | undefined;
    const job = await this.receive.receive(begun.begun, body, reader, encoding, async () => {
      run = this.data.run(items.orgs(), caller);
      await run.beforeUsers();
    });
    if (run === undefined) throw new Error('the import was not begun');
    const rest = run.afterUsers(job, reader.machines);
    rest.catch((error: unknown) =>
      this.log.error('an import of organizations ended early', error, { importId: job.id }),
    );
    if (/\brespond-async\b/i.test(String(request.headers.prefer ?? ''))) {
      void reply.header('preference-applied', 'respond-async');
      return accepted(reply, job.id);
    }
    // nothing goes over the connection while it waits
    if (request.raw.socket instanceof Socket) request.raw.socket.setTimeout(0);
    return await withinTimeout(rest, items.timeoutMs - (performance.now() - began), job.id);
  }
}

function accepted(reply: FastifyReply, id: ImportJobId): Answer {
  void reply.code(202).header('location', locationOf(id));
  return { importId: id };
}

/** Past the time that the caller wants to wait, the import goes on. @throws ApiError deadline-exceeded */
async function withinTimeout<Value>(work: Promise<Value>, ms: number, id: ImportJobId): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ApiError('deadline-exceeded', `the import goes on as ${id}`, 'IMPORT-4tMo8')),
      Math.max(0, ms),
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Remembers which records are service users: outcomes know a line only. */
class MarkedMachines implements SourceReader<DataOrgsRecord> {
  readonly machines = new Set<number>();

  constructor(private readonly reader: DataOrgsReader) {}

  write(piece: Buffer): readonly DataOrgsRecord[] {
    return this.marked(this.reader.write(piece));
  }

  end(): readonly DataOrgsRecord[] {
    return this.marked(this.reader.end());
  }

  private marked(records: readonly DataOrgsRecord[]): readonly DataOrgsRecord[] {
    for (const one of records) {
      if (one.kind === 'record' && /^\{("orgId":"[^"]*",)?"machineUser":/.test(one.record.json ?? '')) {
        this.machines.add(one.record.line);
      }
    }
    return records;
  }
}
