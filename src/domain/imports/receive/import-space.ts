import { Injectable } from '@nestjs/common';
import { ApiError } from '../../shared/errors.js';
import type { ImportJobId, OrgId } from '../../shared/ids.js';
import { UnitOfWork, type Tx } from '../../shared/unit-of-work.js';
import { ImportsStore, type ImportUsage } from '../imports.store.js';

/**
 * Settings of this module; also the token under which configuration provides them. Bytes are as they are stored:
 * packed.
 */
export abstract class ImportSpaceSettings {
  abstract readonly organizationBytes: number;
  abstract readonly instanceBytes: number;
  /** Imports of one organization that have not ended. */
  abstract readonly organizationJobs: number;
}

/** What an upload is given ahead of what it sends, so that not every chunk has to ask; of what is left, a part. */
const AHEAD_BYTES = 16 * 1024 * 1024;
const AHEAD_PART = 1 / 16;
const RETRY_SECONDS = 30;

/**
 * How much imports may take: those of one organization, whoever sends them, and all together, so that no tenant fills
 * the disk that everybody's rows are on. Space is given under one lock, so uploads at the same time on any replica cannot
 * take it twice; an import gives back what it does not need when its file has arrived, and again when it ends.
 */
@Injectable()
export class ImportSpace {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly imports: ImportsStore,
    private readonly settings: ImportSpaceSettings,
  ) {}

  /**
   * Of an import that was just added in this transaction. @throws ApiError resource-exhausted for too many that have not
   * ended, storage-full where there is no byte left
   */
  async requireBegin(tx: Tx, orgId: OrgId): Promise<void> {
    await this.imports.lockSpace(tx);
    const usage = await this.imports.spaceUsage(tx, orgId);
    const { organizationJobs } = this.settings;
    if (usage.unfinished > organizationJobs) {
      throw new ApiError(
        'resource-exhausted',
        `this organization has ${organizationJobs} imports that have not ended: wait for one, or cancel one`,
        'LIMITS-8Up3j',
        RETRY_SECONDS,
      );
    }
    this.capacityFor(usage, 1);
  }

  /**
   * Gives an import that is being read room for so many bytes more.
   *
   * @returns false when it is not being read any more
   * @throws ApiError storage-full
   */
  async extend(jobId: ImportJobId, orgId: OrgId, bytes: number): Promise<boolean> {
    return await this.unitOfWork.run(async (tx) => {
      await this.imports.lockSpace(tx);
      const room = this.capacityFor(await this.imports.spaceUsage(tx, orgId), bytes);
      return await this.imports.reserveSpace(
        tx,
        jobId,
        Math.max(bytes, Math.min(AHEAD_BYTES, Math.floor(room * AHEAD_PART))),
      );
    });
  }

  /** @returns how many bytes there are left. @throws ApiError storage-full for less than `bytes` */
  private capacityFor(usage: ImportUsage, bytes: number): number {
    const ofOrganization = this.settings.organizationBytes - usage.organizationBytes;
    if (ofOrganization < bytes) {
      throw new ApiError(
        'storage-full',
        'the imports of this organization take as much space as they may: wait for one to end, cancel one, or send less',
        'LIMITS-8Up4b',
      );
    }
    const ofInstance = this.settings.instanceBytes - usage.instanceBytes;
    if (ofInstance < bytes) {
      throw new ApiError(
        'storage-full',
        'there is no space left for imports: try again later',
        'LIMITS-8Up5i',
      );
    }
    return Math.min(ofOrganization, ofInstance);
  }
}

export function isOutOfSpace(error: unknown): boolean {
  return error instanceof ApiError && error.kind === 'storage-full';
}
