import { Readable } from 'node:stream';
import { HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { readGoDuration } from '../../domain/imports/formats/go-duration.js';
import { RequirePermission } from '../../domain/permissions/require-permission.js';
import { ApiError } from '../../domain/shared/errors.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader, flag } from '../shared/api-fields.js';
import { Documented } from '../shared/documented.js';
import { gathered } from '../shared/gathered.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { DataExport } from './data-export.js';
import { organizationDataSchema } from './organization-data.js';

function orgIds() {
  return z
    .array(z.string({ error: 'must be a string' }), { error: 'must be a list' })
    .max(1000, 'must have at most 1000 entries')
    .default([]);
}

/** What would send the data elsewhere: refused where it says anything. */
function elsewhere() {
  return z
    .unknown()
    .optional()
    .refine(
      (value) => value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0),
      {
        message: 'is not supported',
      },
    );
}

const USUAL_TIMEOUT_MS = 1_800_000;
const LONGEST_TIMEOUT_MS = 24 * 3_600_000;
/** So much is made before the first byte is sent: an export that takes too long for it is told by its status. */
const HELD_BACK = 1024 * 1024;

/** A Go duration, as the import takes it; in milliseconds. */
function timeout() {
  const rule = 'must be a duration such as 30m, 90s or 1h30m';
  return z
    .string({ error: rule })
    .default('')
    .transform((given) => (given === '' ? USUAL_TIMEOUT_MS : (readGoDuration(given) ?? Number.NaN)))
    .refine((milliseconds) => !Number.isNaN(milliseconds), rule)
    .transform((milliseconds) => Math.min(milliseconds, LONGEST_TIMEOUT_MS))
    .meta({ type: 'string' });
}

export const readExport = bodyReader({
  orgIds: orgIds(),
  excludedOrgIds: orgIds(),
  withPasswords: flag(),
  withOtp: flag(),
  responseOutput: flag(),
  localOutput: elsewhere(),
  s3Output: elsewhere(),
  gcsOutput: elsewhere(),
  timeout: timeout(),
});

const exportSchema = z.looseObject({ orgs: z.array(organizationDataSchema).optional() });

/** The counterpart of the import of organizations (protocol §2.2). */
@ApiController('admin/v1/export')
export class DataExportController {
  constructor(
    private readonly data: DataExport,
    private readonly requirePermission: RequirePermission,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('iam.read')
  @Documented({
    summary: 'Export organizations',
    description:
      'The answer is what `dataOrgs` of the import takes. Passwords of people and secrets of clients come along, as ' +
      'hashes, with `withPasswords` only, and what authenticator apps share with us with `withOtp`: each takes the ' +
      'permission `iam.write`. Sessions, personal access tokens, private keys and passkeys never do. What is not ' +
      'made within `timeout` (30 minutes where it is missing) is 504, or cut off where the first MiB is on its way.',
    body: readExport,
    download: { 'application/json': exportSchema },
    answer: exportSchema,
  })
  async write(@Call() { body, acting, orgId }: ApiCall, @Res() reply: FastifyReply): Promise<void> {
    const began = performance.now();
    const wanted = readExport(body ?? {});
    // whoever may only look does not carry away what everybody signs in with
    if (wanted.withPasswords || wanted.withOtp) {
      await this.requirePermission.check(acting, orgId, 'iam.write');
    }
    const pieces = inTime(gathered(this.data.write(wanted)), began + wanted.timeout);
    const text = Readable.from(await begun(pieces), { objectMode: false });
    await reply.type('application/json; charset=utf-8').send(text);
  }
}

/** @throws ApiError deadline-exceeded, between two pieces */
async function* inTime(pieces: AsyncIterable<string>, deadline: number): AsyncGenerator<string> {
  for await (const piece of pieces) {
    if (performance.now() > deadline) {
      throw new ApiError('deadline-exceeded', 'the export takes longer than its timeout', 'EXPORT-4tMo9');
    }
    yield piece;
  }
}

/** The same pieces, of which the first are made already. */
async function begun(pieces: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const first: string[] = [];
  for (let size = 0; size < HELD_BACK; size += first.at(-1)?.length ?? 0) {
    const next = await pieces.next();
    if (next.done === true) break;
    first.push(next.value);
  }
  return (async function* () {
    yield* first;
    yield* pieces;
  })();
}
