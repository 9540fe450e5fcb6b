import { z } from 'zod';
import { NO_MAPPING } from '../../domain/identity-providers/claim-mapping.js';
import { directorySettings } from '../../domain/identity-providers/ldap/ldap-kind.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { line } from '../../domain/shared/text-schemas.js';
import {
  expiryOfOldSystem,
  MIGRATION_KINDS,
  type UserMigrationPlan,
  type UserMigrationRecord,
} from '../../domain/user-migration/user-migration.js';
import { answerFrom, detailsOfChange, detailsOfSetting, shownTime } from '../shared/answers.js';
import { checkBody } from '../shared/body.pipe.js';
import {
  fieldMapping,
  shownFieldMapping,
  shownMappedFields,
} from '../shared/schemas/claim-mapping.schemas.js';
import { answerFields, bodyFields, partial } from '../shared/schemas/domain-fields.js';
import { bindPassword } from '../shared/schemas/identity-provider.schemas.js';
import { moment } from '../shared/schemas/moment.js';
import { shownNumber, whole } from '../shared/schemas/policy.schemas.js';
import { wireEnum } from '../shared/schemas/wire-enum.js';

/** An example that is valid: the end of a migration is limited. */
const IN_SOME_MONTHS = new Date(Date.now() + 180 * 86_400_000).toISOString().slice(0, 10);
/** Within what guarded calls take at most (outbound/guarded-fetch.ts). */
const LONGEST_DEADLINE_MS = 5_000;

export const userMigrationBody = z
  .strictObject({
    kind: wireEnum({ webhook: 'webhook', ldap: 'ldap' }),
    url: line(2000).optional().meta({
      description: 'Who signs in is posted there, signed (docs/just-in-time-migration.md).',
    }),
    ...partial(bodyFields(directorySettings.shape)),
    bindPassword,
    mapping: fieldMapping.optional(),
    isActive: z.boolean().default(false),
    endsAt: moment().meta({ description: 'From then on nobody is asked for; within 366 days.' }),
    expectedUsers: whole(0, 999_999_999)
      .optional()
      .meta({ description: 'How many are to come over, for the progress.' }),
    requestsPerMinute: whole(1, 60_000).default(600),
    deadlineMs: whole(100, LONGEST_DEADLINE_MS).default(2_000).meta({
      description: 'Every refused sign-in of the organization takes that much longer while it is active.',
    }),
  })
  .meta({
    if: { properties: { kind: { enum: ['webhook'] } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, which nobody awaits
    then: { required: ['url'] },
    else: { required: ['urls', 'baseDn', 'bindDn', 'userFilter'] },
    examples: [
      {
        kind: 'webhook',
        url: 'https://old.acme.example.com/sign-in',
        isActive: true,
        endsAt: `${IN_SOME_MONTHS}T12:00:00Z`,
        expectedUsers: 12_000,
        requestsPerMinute: 600,
        deadlineMs: 2_000,
      },
    ],
  })
  .transform((body): { readonly plan: UserMigrationPlan; readonly bindPassword: string | undefined } => {
    const {
      kind,
      url,
      isActive,
      endsAt,
      expectedUsers = null,
      requestsPerMinute,
      deadlineMs,
      ...more
    } = body;
    const terms = { isActive, endsAt, expectedUsers, requestsPerMinute, deadlineMs };
    const { bindPassword, mapping = NO_MAPPING, ...directory } = more;
    if (kind === 'ldap') {
      if (url !== undefined) refuse('url is not a field of ldap');
      const settings = { ...checkBody(directorySettings, directory), mapping, requiredClaims: {} };
      return { plan: { ...terms, kind, settings }, bindPassword };
    }
    const [field] = Object.entries(more).find(([, value]) => value !== undefined) ?? [];
    if (field !== undefined) refuse(`${field} is not a field of webhook`);
    if (url === undefined) refuse('url is required');
    return { plan: { ...terms, kind, settings: { url } }, bindPassword: undefined };
  });

function refuse(sentence: string): never {
  throw new ApiError('invalid-argument', sentence);
}

/** With the progress; an organization that has none has neither kind nor address. */
export const userMigrationAnswer = answerFrom(
  z.object({
    details: detailsOfSetting,
    isActive: z.boolean().meta({ description: 'Switched on; `endsAt` may be over all the same.' }),
    kind: z.enum(MIGRATION_KINDS).optional(),
    url: z.string().optional(),
    ...partial(answerFields(directorySettings.shape)),
    mapping: shownMappedFields.optional(),
    /** When the first of its secret and certificates is no longer good. */
    expirationDate: z.iso.datetime().optional(),
    endsAt: shownTime.optional(),
    expectedUsers: shownNumber.optional(),
    requestsPerMinute: shownNumber.optional(),
    deadlineMs: shownNumber.optional(),
    progress: z.object({
      asked: shownNumber,
      migrated: shownNumber,
      refused: shownNumber,
      failed: shownNumber,
    }),
  }),
  ({ owner, record }: { readonly owner: OrgId; readonly record: UserMigrationRecord | undefined }) => {
    const { plan, progress = { asked: 0, migrated: 0, refused: 0, failed: 0 } } = record ?? {};
    const about = { details: { owner, stored: record }, progress };
    if (plan === undefined) return { ...about, isActive: false };
    const { expectedUsers, settings, ...terms } = plan;
    const shownSettings =
      'mapping' in settings ? { ...settings, mapping: shownFieldMapping(settings.mapping) } : settings;
    const expirationDate = expiryOfOldSystem(plan)?.toISOString();
    return {
      ...about,
      ...terms,
      ...shownSettings,
      expirationDate,
      ...(expectedUsers !== null && { expectedUsers }),
    };
  },
);

export const changedUserMigrationAnswer = z.object({
  details: detailsOfChange,
  signingSecret: z.string().optional().meta({ description: 'Where it is new; shown this once.' }),
});
