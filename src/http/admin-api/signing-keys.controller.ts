import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import type { KeyChain } from '../../domain/signing-keys/chain-key.js';
import { ChangeKeySchedule } from '../../domain/signing-keys/change-key-schedule.js';
import { takeoversAhead } from '../../domain/signing-keys/due-steps.js';
import { KeyRing } from '../../domain/signing-keys/key-ring.js';
import { rotationSecondsInForce } from '../../domain/signing-keys/key-set-capacity.js';
import { KeySettings } from '../../domain/signing-keys/key-settings.js';
import { keyNotFound, RotateKeys, type ReplacedAtOnce } from '../../domain/signing-keys/rotate-keys.js';
import { SigningKeysStore } from '../../domain/signing-keys/signing-keys.store.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { listAnswer, nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { listQuery } from '../shared/pages/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import {
  keyAnswer,
  keyScheduleAnswer,
  keyScheduleBody,
  removedKeyAnswer,
  rotationAnswer,
  rotationBody,
} from './signing-key.schemas.js';

/** The keys that take over. */
interface Rotated extends Partial<Pick<ReplacedAtOnce, 'waiting' | 'skipped'>> {
  readonly id: string | undefined;
  readonly ids?: readonly string[];
}

const KEY_ID = new PathId(keyNotFound);

/** The keys that sign tokens and seal opaque ones: looked at, rotated, and taken away (protocol §10). */
@ApiController('admin/v1/keys')
export class SigningKeysController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly chains: SigningKeysStore,
    private readonly rotate: RotateKeys,
    private readonly changeSchedule: ChangeKeySchedule,
    private readonly keyRing: KeyRing,
    private readonly settings: KeySettings,
  ) {}

  @Get()
  @Operation({ summary: 'List the keys', permission: 'iam.web_key.read', answer: listAnswer(keyAnswer) })
  async list(@Query({ schema: listQuery }) page: z.output<typeof listQuery>) {
    return await this.chains.list(page);
  }

  @Get('schedule')
  @Operation({
    summary: 'Find how often keys change, and when each kind of key changes next',
    permission: 'iam.web_key.read',
    answer: keyScheduleAnswer,
  })
  async findSchedule() {
    const [{ schedule, details }, seen] = await Promise.all([this.chains.schedule(), this.chains.now()]);
    const { rotationSeconds, leadSeconds } = schedule;
    return {
      details,
      rotationPeriod: `${rotationSeconds}s`,
      effectiveRotationPeriod: `${rotationSecondsInForce(seen)}s`,
      shortestRotationPeriod: `${this.changeSchedule.shortestSeconds()}s`,
      leadTime: `${leadSeconds}s`,
      takeovers: takeoversAhead(seen, this.settings.leaseMs),
    };
  }

  @Put('schedule')
  @Operation({
    summary: 'Say how often keys change',
    description:
      'A `rotationPeriod` of `0s` is only on demand; otherwise it is at least twice the `leadTime`, and at least the ' +
      '`shortestRotationPeriod` of GET.',
    permission: 'iam.web_key.write',
    stepUp: 'always',
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceSchedule(
    @Call() call: ApiCall,
    @Body({ schema: keyScheduleBody }) schedule: z.output<typeof keyScheduleBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.changeSchedule.replace(tx, schedule, call.caller),
    );
  }

  @Post('_rotate')
  @Operation({
    summary: 'Rotate the keys: after the lead time, or at once in an emergency',
    description:
      'Of one `algorithm`, by default of the one in use, or of `all`. An emergency of `all` replaces what it can: what it left is in `skipped`.',
    permission: 'iam.web_key.write',
    stepUp: 'always',
    answer: rotationAnswer,
  })
  async rotateNow(
    @Call() call: ApiCall,
    @Body({ schema: rotationBody }) body: z.output<typeof rotationBody>,
  ) {
    const chain = body.algorithm ?? this.settings.algorithm;
    if (body.confirm && !body.emergency) {
      throw new ApiError('invalid-argument', 'confirm is for an emergency only');
    }
    // the caller first sees who is affected by an emergency rotation, and then confirms it
    const affected = body.emergency ? await this.chains.affected() : undefined;
    if (affected !== undefined && !body.confirm) return { affected };
    const answer = await this.idempotentRequests.write(call, async (tx) =>
      affected === undefined
        ? await this.rotated(tx, chain, call.caller)
        : { ...(await this.replaced(tx, chain, call.caller)), affected },
    );
    this.keyRing.forget();
    return answer;
  }

  @Post(':id/_activate')
  @Operation({
    summary: 'Have a published key sign',
    description: 'Before its time, but not before its lead is over.',
    permission: 'iam.web_key.write',
    stepUp: 'always',
    answer: changeAnswer,
  })
  async activate(@Call() call: ApiCall, @Param('id', KEY_ID) id: string): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const answer = await this.idempotentRequests.change(call, (tx) =>
      this.rotate.activate(tx, id, call.caller),
    );
    this.keyRing.forget();
    return answer;
  }

  /** A key that nobody knows is gone already (protocol §10). */
  @Delete(':id')
  @Operation({
    summary: 'Remove a key and end what it signed',
    description: 'At once, on every replica. Not the key in use. An unknown key is removed already.',
    permission: 'iam.web_key.delete',
    answer: removedKeyAnswer,
  })
  async remove(@Call() call: ApiCall, @Param('id', KEY_ID) id: string): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const answer = await this.idempotentRequests.write(call, async (tx) => ({
      details: await this.rotate.remove(tx, id, call.caller),
    }));
    this.keyRing.forget();
    return answer;
  }

  private async rotated(tx: Tx, chain: KeyChain | 'all', caller: string): Promise<Rotated> {
    if (chain !== 'all') return { id: await this.rotate.ask(tx, chain, caller) };
    return this.ofAll(await this.rotate.askAll(tx, caller));
  }

  private async replaced(tx: Tx, chain: KeyChain | 'all', caller: string): Promise<Rotated> {
    if (chain !== 'all') return { id: await this.rotate.replaceAtOnce(tx, chain, caller) };
    const { signing, waiting, skipped } = await this.rotate.replaceAllAtOnce(tx, caller);
    return { ...this.ofAll(signing), waiting, skipped };
  }

  private ofAll(ids: ReadonlyMap<KeyChain, string>): Rotated {
    return { id: ids.get(this.settings.algorithm), ids: [...ids.values()] };
  }
}
