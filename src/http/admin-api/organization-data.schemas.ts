import { z } from 'zod';
import { readGoDuration } from '../../domain/imports/formats/go-duration.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';

const object = z.record(z.string(), z.unknown()).optional();
const objects = z.array(z.record(z.string(), z.unknown())).optional();

/**
 * An organization as it is exported and imported (protocol §2), so that generated clients have its fields. `DataItems`
 * reads what stands in them; a field that is not listed costs itself, not the import.
 */
const organizationData = z.looseObject({
  orgId: idSchema,
  org: object,
  orgState: z.string().optional(),
  passwordComplexityPolicy: object,
  lockoutPolicy: object,
  loginPolicy: object,
  factorPolicy: object,
  labelPolicy: object,
  privacyPolicy: object,
  domains: objects,
  projects: objects,
  projectRoles: objects,
  oidcApps: objects,
  apiApps: objects,
  humanUsers: objects,
  machineUsers: objects,
  userMetadata: objects,
  machineKeys: objects,
  userLinks: objects,
  appKeys: objects,
  projectGrants: objects,
  userGrants: objects,
  orgMembers: objects,
});

/** The file of an import; it is read as it arrives, so that no schema sees it whole. */
export const importedFile = z
  .looseObject({
    dataOrgs: z.looseObject({ orgs: z.array(organizationData) }),
    timeout: z.string().optional().meta({ description: 'As in `30m`, `1h30m`.' }),
  })
  .meta({
    examples: [
      {
        dataOrgs: {
          orgs: [
            {
              orgId: '327465982374658002',
              org: { name: 'Acme' },
              humanUsers: [
                {
                  userId: '327465982374658001',
                  user: {
                    userName: 'ada',
                    profile: { firstName: 'Ada', lastName: 'Lovelace' },
                    email: { email: 'ada@example.com', isEmailVerified: true },
                  },
                },
              ],
            },
          ],
        },
        timeout: '30m',
      },
    ],
  });

const itemError = z.object({
  type: z.string(),
  id: z.string(),
  /** `ID=<id> Message=<text>` */
  message: z.string(),
});

const ids = z.array(z.string()).optional();

/** What came in of one organization; lists that are empty are left out (protocol §0.1). */
const importedOrg = z.object({
  orgId: z.string(),
  humanUserIds: ids,
  machineUserIds: ids,
  projectIds: ids,
  projectRoles: ids,
  oidcAppIds: ids,
  apiAppIds: ids,
  userMetadata: z.array(z.object({ userId: z.string(), key: z.string() })).optional(),
  projectGrants: z
    .array(z.object({ grantId: z.string(), projectId: z.string(), orgId: z.string() }))
    .optional(),
  userLinks: z
    .array(
      z.object({
        userId: z.string(),
        externalUserId: z.string(),
        displayName: z.string().optional(),
        idpId: z.string(),
      }),
    )
    .optional(),
  userGrants: z.array(z.object({ projectId: z.string(), userId: z.string() })).optional(),
  orgMembers: ids,
  // of members who rose above whoever had made it for them
  endedCredentials: z.array(z.object({ userId: z.string(), kind: z.string(), id: z.string() })).optional(),
  domains: ids,
  appKeys: ids,
  machineKeys: ids,
});

export const importedAnswer = z.object({
  errors: z.array(itemError).optional().meta({ description: 'What was not imported, and why.' }),
  success: z.object({ orgs: z.array(importedOrg).optional() }).optional(),
  importId: z.string().optional().meta({ description: 'With 202: the import, which goes on.' }),
});

export type ItemError = z.output<typeof itemError>;
export type ImportedOrg = z.output<typeof importedOrg>;
export type ImportedData = z.output<typeof importedAnswer>;

export const USUAL_TIMEOUT_MS = 1_800_000;
const LONGEST_EXPORT_MS = 4 * 3_600_000;

const orgIds = z.array(z.string()).max(1000).default([]);

/** What would send the data elsewhere: refused where it says anything. */
const elsewhere = z
  .unknown()
  .optional()
  .refine(
    (value) => value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0),
    { message: 'is not supported' },
  );

const durationRule = 'must be a duration such as 30m, 90s or 1h30m';
/** A Go duration, as the import takes it; in milliseconds. */
const timeout = z
  .string({ error: durationRule })
  .default('')
  .transform((given) => (given === '' ? USUAL_TIMEOUT_MS : (readGoDuration(given) ?? Number.NaN)))
  .refine((milliseconds) => !Number.isNaN(milliseconds), durationRule)
  .transform((milliseconds) => Math.min(milliseconds, LONGEST_EXPORT_MS))
  .meta({ type: 'string' });

export const exportBody = z
  .strictObject({
    orgIds,
    excludedOrgIds: orgIds,
    withPasswords: z.boolean().default(false),
    withOtp: z.boolean().default(false),
    withIdps: z.boolean().default(false),
    responseOutput: z.boolean().default(false),
    localOutput: elsewhere,
    s3Output: elsewhere,
    gcsOutput: elsewhere,
    timeout,
  })
  .meta({ examples: [{ orgIds: ['327465982374658002'], withPasswords: false, timeout: '5m' }] })
  .prefault({});

/** It is written as text while it is made, so that no schema sees it whole. */
export const exportAnswer = z.looseObject({ orgs: z.array(organizationData).optional() });
