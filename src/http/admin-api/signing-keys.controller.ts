import { Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { KeyChain, ListedKey } from '../../domain/signing-keys/chain-key.js';
import { ChangeKeySchedule } from '../../domain/signing-keys/change-key-schedule.js';
import { KeyRing } from '../../domain/signing-keys/key-ring.js';
import { KeySettings } from '../../domain/signing-keys/key-settings.js';
import { RotateKeys } from '../../domain/signing-keys/rotate-keys.js';
import { SigningKeysStore, type AffectedByRotation } from '../../domain/signing-keys/signing-keys.store.js';
import { changedSchema, idSchema, listSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader, choice, flag, readNothing } from '../shared/api-fields.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, type ListResponse } from '../shared/lists.js';
import { pageParameters, readPageParameters } from '../shared/page-parameters.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';

function duration(least: number, most: number) {
  const rule = `must be a duration from "${least}s" to "${most}s"`;
  return z
    .string({ error: rule })
    .regex(/^[0-9]{1,9}s$/, rule)
    .transform((text) => Number(text.slice(0, -1)))
    .refine((seconds) => seconds >= least && seconds <= most, rule);
}

const DAY = 86_400;

/** The least lead is four times what a cache may keep the key set for (security S015). */
export const readKeySchedule = bodyReader({
  rotationPeriod: duration(0, 1_825 * DAY),
  leadTime: duration(1_200, 30 * DAY),
});

export const readRotation = bodyReader({
  algorithm: choice<KeyChain>({
    RS256: 'RS256',
    ES256: 'ES256',
    EdDSA: 'EdDSA',
    opaque: 'opaque',
  }).optional(),
  emergency: flag(),
  confirm: flag(),
});

const STATES = {
  next: 'STATE_INITIAL',
  current: 'STATE_ACTIVE',
  previous: 'STATE_INACTIVE',
  gone: 'STATE_REMOVED',
} as const;

const moment = z.iso.datetime().optional();
const keyAnswer = z.strictObject({
  id: idSchema,
  details: readDetailsSchema,
  state: z.enum(Object.values(STATES)),
  algorithm: z.enum(['RS256', 'ES256', 'EdDSA', 'opaque']),
  activatesAt: moment,
  activeSince: moment,
  inactiveSince: moment,
  removableAt: moment,
  removedAt: moment,
  readers: z.number().int().optional(),
});
const affectedSchema = z.strictObject({
  grants: z.number().int().optional(),
  applications: z.number().int().optional(),
  keySetReaders: z.number().int().optional(),
});
const scheduleAnswer = z.strictObject({
  details: readDetailsSchema,
  rotationPeriod: z.string(),
  leadTime: z.string(),
});
const rotationAnswer = z.strictObject({ id: idSchema.optional(), affected: affectedSchema.optional() });

export interface KeyResponse {
  readonly id: string;
  readonly details: DetailsResponse;
  readonly state: (typeof STATES)[keyof typeof STATES];
  readonly algorithm: KeyChain;
  /** Of a key that is published and does not sign yet. */
  readonly activatesAt?: string;
  readonly activeSince?: string;
  readonly inactiveSince?: string;
  /** Of a key that signs no longer: when the last of its tokens has ended. */
  readonly removableAt?: string;
  readonly removedAt?: string;
  /** Addresses that fetched the key set since the key is in it. */
  readonly readers?: number;
}

export interface KeyScheduleResponse {
  readonly details: DetailsResponse;
  readonly rotationPeriod: string;
  readonly leadTime: string;
}

export interface RotationResponse {
  /** The key that takes over. Without it nothing was changed. */
  readonly id?: string;
  readonly affected?: AffectedByRotation;
}

const KEY_ID = new PathId(() => new ApiError('not-found', 'Key could not be found', 'COMMAND-teiG3'));

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
  @RequiresPermission('iam.web_key.read')
  @Documented({ summary: 'List the keys', query: pageParameters, answer: listSchema(keyAnswer) })
  async list(@Query() query: unknown): Promise<ListResponse<KeyResponse>> {
    return listResponse(await this.chains.list(readPageParameters(query)), keyResponse);
  }

  @Get('schedule')
  @RequiresPermission('iam.web_key.read')
  @Documented({ summary: 'Find how often keys change', answer: scheduleAnswer })
  async findSchedule(): Promise<KeyScheduleResponse> {
    const { schedule, details } = await this.chains.schedule();
    return {
      details: readDetails(details),
      rotationPeriod: `${schedule.rotationSeconds}s`,
      leadTime: `${schedule.leadSeconds}s`,
    };
  }

  @Put('schedule')
  @RequiresPermission('iam.web_key.write')
  @Documented({
    summary: 'Say how often keys change',
    description:
      'A `rotationPeriod` of `0s` is only on demand; otherwise it is at least twice the `leadTime`.',
    body: readKeySchedule,
    answer: changedSchema,
  })
  async replaceSchedule(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const { rotationPeriod: rotationSeconds, leadTime: leadSeconds } = readKeySchedule(call.body);
    const schedule = { rotationSeconds, leadSeconds };
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.changeSchedule.replace(tx, schedule, call.caller)),
    }));
  }

  @Post('_rotate')
  @HttpCode(200)
  @RequiresPermission('iam.web_key.write')
  @Documented({
    summary: 'Rotate the keys: after the lead time, or at once in an emergency',
    body: readRotation,
    answer: rotationAnswer,
  })
  async rotateNow(@Call() call: ApiCall): Promise<RotationResponse> {
    const body = readRotation(call.body ?? {});
    const chain = body.algorithm ?? this.settings.algorithm;
    if (body.confirm && !body.emergency) {
      throw new ApiError('invalid-argument', 'confirm is for an emergency only');
    }
    // an emergency is told of first, and done when whoever asks has seen whom it touches
    const affected = body.emergency ? await this.chains.affected() : undefined;
    if (affected !== undefined && !body.confirm) return { affected };
    const answer = await this.idempotentRequests.run<RotationResponse>(
      call,
      async () => async (tx) =>
        affected === undefined
          ? { id: await this.rotate.ask(tx, chain, call.caller) }
          : { id: await this.rotate.replaceAtOnce(tx, chain, call.caller), affected },
    );
    this.keyRing.forget();
    return answer;
  }

  @Post(':id/_activate')
  @HttpCode(200)
  @RequiresPermission('iam.web_key.write')
  @Documented({
    summary: 'Have a published key sign',
    description: 'Before its time, but not before its lead is over.',
    body: readNothing,
    answer: changedSchema,
  })
  async activate(
    @Call() call: ApiCall,
    @Param('id', KEY_ID) id: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const answer = await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.rotate.activate(tx, id, call.caller)),
    }));
    this.keyRing.forget();
    return answer;
  }

  /** A key that nobody knows is gone already (protocol §10). */
  @Delete(':id')
  @RequiresPermission('iam.web_key.delete')
  @Documented({
    summary: 'Remove a key and end what it signed',
    description: 'At once, on every replica. Not the key in use. An unknown key is removed already.',
    answer: removedAnswer(),
  })
  async remove(
    @Call() call: ApiCall,
    @Param('id', KEY_ID) id: string,
  ): Promise<{ details?: DetailsResponse }> {
    readNothing(call.body ?? {});
    const answer = await this.idempotentRequests.run<{ details?: DetailsResponse }>(
      call,
      async () => async (tx) => {
        const details = await this.rotate.remove(tx, id, call.caller);
        return details === undefined ? {} : { details: changedDetails(details) };
      },
    );
    this.keyRing.forget();
    return answer;
  }
}

function removedAnswer() {
  return z.strictObject({ details: changedSchema.shape.details.optional() });
}

function keyResponse(key: ListedKey): KeyResponse {
  const published = key.state !== 'gone' && key.chain !== 'opaque';
  return {
    id: key.id,
    details: readDetails(key.details),
    state: STATES[key.state],
    algorithm: key.chain,
    ...(key.state === 'next' ? when('activatesAt', key.activatesAt) : {}),
    ...when('activeSince', key.currentSince),
    ...when('inactiveSince', key.previousSince),
    ...(key.state === 'previous' ? when('removableAt', key.retiresAt) : {}),
    ...when('removedAt', key.goneAt),
    ...(published ? { readers: key.readers } : {}),
  };
}

function when(name: keyof KeyResponse, date: Date | null): Partial<KeyResponse> {
  return date === null ? {} : { [name]: date.toISOString() };
}
