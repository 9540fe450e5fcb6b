import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SourceTooLarge } from '../../domain/imports/formats/unpack.js';
import type { ImportJob, ImportOptions } from '../../domain/imports/import-job.js';
import { BeginImport } from '../../domain/imports/receive/begin-import.js';
import { ReceiveImport } from '../../domain/imports/receive/receive-import.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { ImportJobId } from '../../domain/shared/ids.js';
import { DuplicateUploads } from './duplicate-uploads.js';
import { UnreadableBody } from './server/json-body.js';
import { RequestSlots } from './server/request-slots.js';
import { drain } from './server/streamed-body.js';
import type { UploadCall } from './upload-call.js';

/** Receives a file and answers for it, however it ends. */
@Injectable()
export class ReceiveUpload {
  constructor(
    private readonly beginImport: BeginImport,
    private readonly receiveImport: ReceiveImport,
    private readonly duplicateUploads: DuplicateUploads,
    private readonly slots: RequestSlots,
  ) {}

  /** @throws ApiError, UnreadableBody */
  async execute(
    upload: UploadCall,
    options: ImportOptions,
    reply: FastifyReply,
    retryOf?: ImportJobId,
  ): Promise<ImportJob> {
    const { body, caller, acting, orgId, askedWith, key, encoding, length } = upload;
    if (body === undefined)
      throw new ApiError('invalid-argument', 'the body is empty: it must be a file of users');
    const source = { body, encoding, format: options.format };
    try {
      const giveBack = this.slots.take('upload', caller, orgId);
      try {
        const begun = await this.beginImport.execute({
          ...options,
          ...askedWith,
          orgId,
          callerId: caller,
          through: acting.through,
          idempotencyKey: key,
          retryOf,
          bytesExpected: length,
        });
        const id = 'known' in begun ? begun.known.id : begun.begun.jobId;
        // whoever sent a file that cannot be read finds the job that says so
        void reply.header('location', locationOf(id));
        if ('known' in begun) return await this.duplicateUploads.check(begun.known, options, source);
        return await this.receiveImport.execute(begun.begun, source);
      } finally {
        giveBack();
      }
    } catch (error) {
      drain(body);
      throw error instanceof SourceTooLarge ? new UnreadableBody(413, 8, error.text) : error;
    }
  }
}

export function locationOf(id: ImportJobId): string {
  return `/management/v1/imports/${id}`;
}
