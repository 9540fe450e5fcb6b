import { Readable } from 'node:stream';
import { HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { RequirePermission } from '../../domain/permissions/require-permission.js';
import { type ApiCall, Call } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader, flag } from '../shared/api-fields.js';
import { Documented } from '../shared/documented.js';
import { gathered } from '../shared/gathered.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { DataExport } from './data-export.js';

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

export const readExport = bodyReader({
  orgIds: orgIds(),
  excludedOrgIds: orgIds(),
  withPasswords: flag(),
  withOtp: flag().refine((value) => !value, 'is not supported'),
  responseOutput: flag(),
  localOutput: elsewhere(),
  s3Output: elsewhere(),
  gcsOutput: elsewhere(),
  timeout: z.string({ error: 'must be a string' }).optional(),
});

/** The counterpart of the import of organizations (contract §2.2). */
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
      'The answer is what `dataOrgs` of the import takes. Passwords come along, as hashes, with `withPasswords` only, ' +
      'which takes the permission `iam.write`; sessions, keys, secrets and passkeys never do.',
    body: readExport,
    download: { 'application/json': '`{"orgs": […]}`' },
    answer: z.string(),
  })
  async write(@Call() { body, caller, orgId }: ApiCall, @Res() reply: FastifyReply): Promise<void> {
    const wanted = readExport(body ?? {});
    // whoever may only look does not carry away what everybody signs in with
    if (wanted.withPasswords) await this.requirePermission.check(caller, orgId, 'iam.write');
    const text = Readable.from(gathered(this.data.write(wanted)), { objectMode: false });
    await reply.type('application/json; charset=utf-8').send(text);
  }
}
