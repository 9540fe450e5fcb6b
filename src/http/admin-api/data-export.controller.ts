import { Body, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { RequirePermission } from '../../domain/permissions/require-permission.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { ApiController } from '../shared/api-controller.js';
import { bounded, noticed } from '../shared/bounded-stream.js';
import { ActingOrg, CallerParam, type Caller } from '../shared/caller.js';
import { inLargePieces } from '../shared/large-pieces.js';
import { Operation } from '../shared/operation.js';
import { RecheckPermission, whileAllowed } from '../shared/recheck-permission.js';
import { RequestSlots } from '../shared/server/request-slots.js';
import { DataExport } from './data-export.js';
import { exportAnswer, exportBody } from './organization-data.schemas.js';

/** This much is created before the first byte is sent: an export that is too slow for it fails with a status. */
const HELD_BACK = 1024 * 1024;

/** The counterpart of the import of organizations (protocol §2.2). */
@ApiController('admin/v1/export')
export class DataExportController {
  constructor(
    private readonly data: DataExport,
    private readonly requirePermission: RequirePermission,
    private readonly slots: RequestSlots,
    private readonly recheck: RecheckPermission,
  ) {}

  @Post()
  @Operation({
    summary: 'Export organizations',
    description:
      'The answer is what `dataOrgs` of the import takes. Passwords of people and secrets of clients come along, as ' +
      'hashes, with `withPasswords` only, and what authenticator apps share with us, recovery codes and what is kept of ' +
      'passkeys with `withOtp`: each takes the permission `iam.write`. Who users are at identity providers comes along with `withIdps`. Sessions, personal access tokens and private keys never do. What is not ' +
      'made within `timeout` (30 minutes where it is missing, 4 hours at most) is 504, or cut off where the first MiB is on its way. ' +
      'It is cut off as well once the token or the permission is gone: what is cut off is no JSON.',
    permission: 'iam.read',
    download: { 'application/json': exportAnswer },
    stepUp: ['withPasswords', 'withOtp'],
    answer: exportAnswer,
  })
  async write(
    @ActingOrg() orgId: OrgId,
    @CallerParam() { userId, acting }: Caller,
    @Body({ schema: exportBody }) wanted: z.output<typeof exportBody>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const deadline = performance.now() + wanted.timeout;
    // whoever may only look does not carry away what everybody signs in with
    const permission = wanted.withPasswords || wanted.withOtp ? 'iam.write' : 'iam.read';
    await this.requirePermission.check(acting, orgId, permission);
    const giveBack = this.slots.take('export', userId, orgId);
    try {
      const pieces = inLargePieces(this.data.write(wanted));
      const recheck = this.recheck.by(request, permission);
      const first = await begun(inTime(whileAllowed(pieces, recheck), deadline));
      const left = Math.max(0, deadline - performance.now());
      const text = bounded((taken) => noticed(first, taken), left, 'an export');
      text.once('close', giveBack);
      await reply.type('application/json; charset=utf-8').send(text);
    } catch (error) {
      giveBack();
      throw error;
    }
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
