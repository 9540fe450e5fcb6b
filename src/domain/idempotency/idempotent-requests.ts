import { Injectable } from '@nestjs/common';
import { Sealer, type SealedPlace } from '../secrets/sealer.js';
import { crashPoint } from '../shared/crash-point.js';
import type { ResourceDetails } from '../shared/details.js';
import { requireReadAt, type ReadAt } from '../shared/precondition.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { canonicalJson } from './canonical-json.js';
import { keyOfAnotherRequest, requestUnderWay, requireIdempotencyKey } from './idempotency-key.js';
import { IdempotencyStore, type KeyScope, type StoredAnswer } from './idempotency.store.js';

/**
 * Requests that may be repeated safely: the same key with the same content gets the first answer again, for 24 h.
 *
 * The change, its answer and the key commit in one transaction, under a lock that ends with it. A process that dies
 * leaves no key and no change; there is no state "begun" that somebody would have to clean up. Only success is kept:
 * a refused request changed nothing, and may be right next time.
 */
const LIFETIME_MS = 24 * 3_600_000;
/** Longer than anything that is done under a claim (`runOutside`) takes. */
const CLAIM_MS = 120_000;
const OK = 200;
/** What stands under a claimed key in place of an answer. */
const UNDER_WAY = 102;

interface IdempotentRequest extends Omit<KeyScope, 'key'> {
  readonly key: string | undefined;
  /** Everything beside the scope that makes this request what it is: path parameters and body. */
  readonly content: unknown;
}

/** An answer as it travels: JSON, made already. */
export class WireAnswer {
  constructor(readonly wire: object) {}
}

/** A request of a route that says how its answer is made. */
export interface AnsweredRequest extends IdempotentRequest {
  /** What the caller had read of what is changed; undefined to change whatever is there. */
  readonly readAt?: ReadAt | undefined;
  /** Makes the answer of what the change returns. */
  readonly encode: (answer: unknown) => object;
}

/**
 * A change in two steps. The first prepares without a transaction: it looks things up and hashes passwords, so that
 * no connection and no lock is held meanwhile. What it returns writes, in the transaction it is given.
 */
type PreparedChange<Answer> = () => Promise<(tx: Tx) => Promise<Answer>>;

type Outcome<Answer> = { readonly stored: StoredAnswer } | { readonly answer: Answer };

@Injectable()
export class IdempotentRequests {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: IdempotencyStore,
    private readonly sealer: Sealer,
  ) {}

  /**
   * As `run`, and makes the answer as it travels, which is what is kept.
   * @throws as `run`; ApiError precondition-failed where the caller had read something else
   */
  async answer(request: AnsweredRequest, change: PreparedChange<unknown>): Promise<WireAnswer> {
    const answer = await this.run(request, async () => {
      const write = await change();
      return async (tx) => {
        const changed = await write(tx);
        if (request.readAt !== undefined) requireReadAt(request.readAt, detailsOf(changed));
        return request.encode(changed);
      };
    });
    return new WireAnswer(answer);
  }

  /** As `answer`, for a change that prepares nothing: what `write` returns is the answer. @throws as `answer` */
  async write(request: AnsweredRequest, write: (tx: Tx) => Promise<unknown>): Promise<WireAnswer> {
    return await this.answer(request, async () => write);
  }

  /** As `write`, for a change that is answered by its details alone. @throws as `answer` */
  async change(request: AnsweredRequest, write: (tx: Tx) => Promise<ResourceDetails>): Promise<WireAnswer> {
    return await this.changePrepared(request, async () => write);
  }

  /** As `answer`, for a change that is answered by its details alone. @throws as `answer` */
  async changePrepared(
    request: AnsweredRequest,
    change: PreparedChange<ResourceDetails>,
  ): Promise<WireAnswer> {
    return await this.answer(request, async () => {
      const write = await change();
      return async (tx) => ({ details: await write(tx) });
    });
  }

  /**
   * Makes the change, or gives the answer that it got before.
   * @throws ApiError unprocessable for the key with other content, aborted while the first request is under way
   */
  async run<Answer extends object>(
    request: IdempotentRequest,
    change: PreparedChange<Answer>,
  ): Promise<Answer> {
    if (request.key === undefined) return await this.unitOfWork.run(await change());
    const scope = scopeOf(request, request.key);
    const fingerprint = this.sealer.mac('idempotency-key', canonicalJson(request.content));
    const known = await this.keys.find(scope);
    if (known !== undefined) return await this.repeat(scope, fingerprint, known);
    const write = await change();
    const outcome = await this.unitOfWork.run((tx) => this.writeOnce(tx, scope, fingerprint, write));
    crashPoint('change-after-commit');
    return 'answer' in outcome ? outcome.answer : await this.repeat(scope, fingerprint, outcome.stored);
  }

  /**
   * The same for what the first step does in the outside world, where no rollback reaches: the key is claimed before,
   * in a transaction of its own, so that of requests that arrive together one does it. Who cannot write down what was
   * done, or dies over it, leaves a claim that lapses; whoever repeats the request after that has it done again.
   * @param effect rejects only when nothing was done
   * @throws ApiError as `run`
   */
  async runOutside<Answer extends object>(
    request: IdempotentRequest,
    effect: PreparedChange<Answer>,
  ): Promise<Answer> {
    if (request.key === undefined) return await this.unitOfWork.run(await effect());
    const scope = scopeOf(request, request.key);
    const fingerprint = this.sealer.mac('idempotency-key', canonicalJson(request.content));
    const known = await this.unitOfWork.run(async (tx) => {
      const stored = await this.lockedFind(tx, scope);
      if (stored === undefined) await this.save(tx, scope, { fingerprint, status: UNDER_WAY }, {}, CLAIM_MS);
      return stored;
    });
    if (known !== undefined) return await this.repeat(scope, fingerprint, known);
    const write = await effect().catch(async (error: unknown) => {
      // nothing was done; where this fails as well, the claim lapses by itself
      const claim = { fingerprint, status: UNDER_WAY };
      await this.unitOfWork.run((tx) => this.save(tx, scope, claim, {}, 0)).catch(() => undefined);
      throw error;
    });
    return await this.unitOfWork.run(async (tx) => {
      const answer = await write(tx);
      await this.save(tx, scope, { fingerprint, status: OK }, answer, LIFETIME_MS);
      return answer;
    });
  }

  /** As `runOutside`, and makes the answer as it travels, which is what is kept. @throws as `run` */
  async answerOutside(request: AnsweredRequest, effect: PreparedChange<unknown>): Promise<WireAnswer> {
    const answer = await this.runOutside(request, async () => {
      const write = await effect();
      return async (tx) => request.encode(await write(tx));
    });
    return new WireAnswer(answer);
  }

  private async writeOnce<Answer extends object>(
    tx: Tx,
    scope: KeyScope,
    fingerprint: Buffer,
    write: (tx: Tx) => Promise<Answer>,
  ): Promise<Outcome<Answer>> {
    const stored = await this.lockedFind(tx, scope);
    if (stored !== undefined) return { stored };
    const answer = await write(tx);
    await this.save(tx, scope, { fingerprint, status: OK }, answer, LIFETIME_MS);
    return { answer };
  }

  private async lockedFind(tx: Tx, scope: KeyScope): Promise<StoredAnswer | undefined> {
    if (!(await this.keys.tryLock(tx, scope))) throw requestUnderWay();
    // asked again, by a statement that began after the lock was held: the first request may just have committed
    return await this.keys.find(scope, tx);
  }

  private async save(
    tx: Tx,
    scope: KeyScope,
    stored: Pick<StoredAnswer, 'fingerprint' | 'status'>,
    answer: object,
    lifetimeMs: number,
  ): Promise<void> {
    const { dataKeyId, sealed } = this.sealer.seal(placeOf(scope), Buffer.from(JSON.stringify(answer)));
    await this.keys.save(tx, scope, { ...stored, dataKeyId, sealed }, lifetimeMs);
  }

  private async repeat<Answer>(scope: KeyScope, fingerprint: Buffer, stored: StoredAnswer): Promise<Answer> {
    if (!stored.fingerprint.equals(fingerprint)) {
      throw keyOfAnotherRequest();
    }
    if (stored.status === UNDER_WAY) throw requestUnderWay();
    const answer = await this.sealer.open(placeOf(scope), stored);
    return JSON.parse(answer.toString()) as Answer;
  }
}

function detailsOf(changed: unknown): ResourceDetails {
  const { details } = changed as { readonly details?: ResourceDetails };
  if (details === undefined) throw new Error('a change with a precondition does not say what it counted');
  return details;
}

function scopeOf({ caller, orgId, route }: IdempotentRequest, key: string): KeyScope {
  return { caller, orgId, route, key: requireIdempotencyKey(key) };
}

function placeOf(scope: KeyScope): SealedPlace {
  const rowId = [scope.caller, scope.orgId, scope.route, scope.key].join('\u0000');
  return { purpose: 'idempotent-answer', table: 'idempotency_keys', column: 'body_sealed', rowId };
}
