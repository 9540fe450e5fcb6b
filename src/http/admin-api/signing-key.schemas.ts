import { z } from 'zod';
import type { ListedKey } from '../../domain/signing-keys/chain-key.js';
import type { Takeover } from '../../domain/signing-keys/due-steps.js';
import type { KeySchedule } from '../../domain/signing-keys/key-schedule.js';
import type { ReplacedAtOnce, SkippedChain } from '../../domain/signing-keys/rotate-keys.js';
import { answerFrom, detailsOfChange, detailsOfRecord, hasMore, shownTime } from '../shared/answers.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';
import { duration } from '../shared/schemas/duration.js';
import { wireEnum } from '../shared/schemas/wire-enum.js';

const DAY = 86_400;

/** The least lead is four times what a cache may keep the key set for (security S015). */
export const keyScheduleBody = z
  .strictObject({ rotationPeriod: duration(0, 1_825 * DAY), leadTime: duration(1_200, 30 * DAY) })
  .meta({ examples: [{ rotationPeriod: '7776000s', leadTime: '1209600s' }] })
  .transform(({ rotationPeriod, leadTime }): KeySchedule => ({
    rotationSeconds: rotationPeriod,
    leadSeconds: leadTime,
  }));

export const rotationBody = z
  .strictObject({
    algorithm: wireEnum({
      RS256: 'RS256',
      PS256: 'PS256',
      ES256: 'ES256',
      EdDSA: 'EdDSA',
      opaque: 'opaque',
      all: 'all',
    }).optional(),
    emergency: z.boolean().default(false),
    confirm: z.boolean().default(false),
  })
  .meta({ examples: [{ algorithm: 'RS256', emergency: false }] })
  .prefault({});

/** `opaque`: the keys that seal opaque tokens. */
const chainName = z.enum(['RS256', 'PS256', 'ES256', 'EdDSA', 'opaque']);

export const keyScheduleAnswer = z.object({
  details: detailsOfRecord,
  /** As it was saved. */
  rotationPeriod: z.string(),
  /** By which signing keys change: longer where the saved one would fill the key set, as several algorithms sign. */
  effectiveRotationPeriod: z.string(),
  /** The least that can be saved: more often, and the key set would fill. */
  shortestRotationPeriod: z.string(),
  leadTime: z.string(),
  /** What comes next, soonest first; nothing where keys change only when somebody asks. */
  takeovers: z.array(
    answerFrom(
      z.object({
        algorithm: chainName,
        /** The key, once it is published. */
        id: idSchema.optional(),
        /** In the past without an `id`: overdue, as no worker serves the queue `keys`. */
        publishedAt: shownTime,
        activatesAt: shownTime,
      }),
      ({ chain, id, publishedAt, signsAt }: Takeover) => ({
        algorithm: chain,
        id,
        publishedAt,
        activatesAt: signsAt,
      }),
    ),
  ),
});

/** The key or the keys that take over; without `id` and `ids` nothing was changed. And whom it touches, of an emergency. */
export const rotationAnswer = z.object({
  /** Of `all`, the one of the algorithm in use: absent where that does not sign yet, or was skipped. */
  id: idSchema.optional(),
  /** Of `all` alone: every key that takes over. */
  ids: z.array(idSchema).optional(),
  /** Of an emergency of `all`: replacements of keys that do not sign yet. They are published now, and sign at `activatesAt`. */
  waiting: z
    .array(
      answerFrom(
        z.object({ algorithm: chainName, id: idSchema, activatesAt: shownTime }),
        ({ chain, id, activatesAt }: ReplacedAtOnce['waiting'][number]) => ({
          algorithm: chain,
          id,
          activatesAt,
        }),
      ),
    )
    .optional(),
  /** Of an emergency of `all`: whose keys were not replaced. */
  skipped: z
    .array(
      answerFrom(
        z.object({
          algorithm: chainName,
          reason: z.enum(['replaced_just_now', 'key_set_full']),
          /** Of what was replaced within the minute. */
          retryAfterSeconds: z.number().int().optional(),
        }),
        ({ chain, retryAfterSeconds }: SkippedChain) => ({
          algorithm: chain,
          reason:
            retryAfterSeconds === undefined ? ('key_set_full' as const) : ('replaced_just_now' as const),
          retryAfterSeconds,
        }),
      ),
    )
    .optional(),
  affected: z
    .object({
      grants: z.number().int().optional(),
      applications: z.number().int().optional(),
      hasMoreGrants: hasMore('Counting stopped at `grants`: there are more, perhaps of other applications.'),
      keySetReaders: z.number().int().optional(),
      hasMoreKeySetReaders: hasMore('No more are remembered: there may be others than `keySetReaders`.'),
    })
    .optional(),
});

export const removedKeyAnswer = z.object({ details: detailsOfChange.optional() });

const STATES = {
  next: 'STATE_INITIAL',
  current: 'STATE_ACTIVE',
  previous: 'STATE_INACTIVE',
  gone: 'STATE_REMOVED',
} as const;

export const keyAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    state: z.enum(STATES),
    algorithm: chainName,
    /** Of a key that is published and does not sign yet. */
    activatesAt: shownTime.optional(),
    activeSince: shownTime.optional(),
    inactiveSince: shownTime.optional(),
    /** Of a key that signs no longer: when the last of its tokens has ended. */
    removableAt: shownTime.optional(),
    removedAt: shownTime.optional(),
    /** Addresses that fetched the key set since the key is in it. */
    readers: z.number().int().optional(),
    hasMoreReaders: hasMore('No more are remembered: there may be others than `readers`.'),
  }),
  ({ state, chain, readers, hasMoreReaders, ...key }: ListedKey) => ({
    id: key.id,
    details: key.details,
    state: STATES[state],
    algorithm: chain,
    activatesAt: (state === 'next' && key.activatesAt) || undefined,
    activeSince: key.currentSince ?? undefined,
    inactiveSince: key.previousSince ?? undefined,
    removableAt: (state === 'previous' && key.retiresAt) || undefined,
    removedAt: key.goneAt ?? undefined,
    readers: state === 'gone' || chain === 'opaque' ? undefined : readers,
    hasMoreReaders: state !== 'gone' && chain !== 'opaque' && hasMoreReaders,
  }),
);
