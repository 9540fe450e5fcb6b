import { Injectable } from '@nestjs/common';
import { requestUnderWay } from '../../idempotency/idempotency-key.js';
import type { RequestingToken } from '../../permissions/requesting-token.js';
import type { ApplicationId, ImportJobId, OrgId, UserId } from '../../shared/ids.js';
import { randomId, sha256 } from '../../shared/random.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { EndImport } from '../end-import.js';
import type { ImportJob, ImportOptions } from '../import-job.js';
import { ImportPermission } from '../import-permission.js';
import { ImportsStore } from '../imports.store.js';
import { LEASE_MS, type OpenImport } from './fill-import.js';
import { ImportSpace } from './import-space.js';

export interface WantedImport extends ImportOptions, RequestingToken {
  readonly orgId: OrgId;
  readonly callerId: UserId;
  /** The application whose token they use: the import continues only while both are permitted (`Acting`). */
  readonly through: ApplicationId | null;
  readonly idempotencyKey?: string | undefined;
  readonly retryOf?: ImportJobId | undefined;
  /** Of the upload as it is on the wire: its Content-Length, where it has one. */
  readonly bytesExpected?: number | undefined;
}

/** `known`: the same caller sent the same key before, and this is what became of it. */
type BegunImport = { readonly begun: OpenImport } | { readonly known: ImportJob };

/** Makes the job of an import whose file is about to come. */
@Injectable()
export class BeginImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly imports: ImportsStore,
    private readonly permission: ImportPermission,
    private readonly space: ImportSpace,
    private readonly end: EndImport,
  ) {}

  /**
   * Makes a job that is to be read. The same Idempotency-Key gives the job that it made before, unless that one's
   * file never arrived whole.
   *
   * @throws ApiError aborted while the first request with the key is under way; resource-exhausted or storage-full as
   * ImportSpace says
   */
  async execute({ callerId, through, idempotencyKey, ...options }: WantedImport): Promise<BegunImport> {
    const { orgId } = options;
    const callerKey = idempotencyKey === undefined ? undefined : sha256(idempotencyKey);
    const instanceWide = await this.permission.reachesInstance({ actorId: callerId, through }, orgId);
    const id = randomId() as ImportJobId;
    const job = {
      ...options,
      id,
      instanceWide,
      createdBy: callerId,
      createdThrough: through,
      callerKey,
      leaseMs: LEASE_MS,
    };
    const added = await this.unitOfWork.run(async (tx) => {
      if (!(await this.imports.add(tx, job))) return false;
      await this.space.requireBegin(tx, orgId);
      return true;
    });
    if (added) {
      return { begun: { jobId: id, orgId, callerId } };
    }
    const known = callerKey && (await this.imports.findByKey(orgId, callerId, callerKey));
    if (known?.state === 'reading' && (await this.end.giveUp(known.id))) {
      return await this.execute({ callerId, through, idempotencyKey, ...options });
    }
    if (known === undefined || known.state === 'reading') {
      throw requestUnderWay();
    }
    return { known };
  }
}
