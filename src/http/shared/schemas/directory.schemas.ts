import { z } from 'zod';
import { ApiError } from '../../../domain/shared/errors.js';
import { line } from '../../../domain/shared/text-schemas.js';
import { claim, shownMappedFields } from './claim-mapping.schemas.js';
import { moment } from './moment.js';

/** A key of Apple has lines. A secret is taken as it is: a space at its end belongs to it. */
export const secret = z
  .string()
  .min(1, 'must have 1 to 4000 characters')
  .max(4000, 'must have 1 to 4000 characters')
  .refine((value) => !value.includes('\u0000'), 'must not contain NUL');
export const url = line(2000);

/** Of a directory, which an organization's users may come over from as well (user-migration.schemas.ts). */
export const directoryFields = {
  urls: z
    .array(url)
    .min(1, 'must have 1 to 5 entries')
    .max(5, 'must have 1 to 5 entries')
    .optional()
    .meta({ description: 'Of a directory: `ldaps://…`; the next one where one does not answer.' }),
  startTls: z.boolean().optional(),
  caCertificate: z.string().max(20_000, 'must have at most 20000 characters').optional(),
  baseDn: line(1000).optional(),
  bindDn: line(1000).optional().meta({ description: 'Who looks people up in the directory.' }),
  bindPassword: secret.optional().meta({ description: 'Of `bindDn`. Shown to nobody again.' }),
  secretExpirationDate: moment().optional().meta({
    description:
      'When the secret or `bindPassword` is taken no longer: somebody is warned thirty days before.',
  }),
  userFilter: line(2000).optional().meta({
    description: 'RFC 4515, with `{loginName}` for what was typed.',
  }),
  subjectAttribute: claim.optional().meta({
    description: 'By which the directory knows people for good: `entryUUID`, `objectGUID`.',
  }),
  trustEmail: z.boolean().optional().meta({ description: 'Its addresses count as verified.' }),
};

type DirectoryFields = {
  readonly [Name in keyof typeof directoryFields]?: z.output<(typeof directoryFields)[Name]>;
};

/** @throws ApiError invalid-argument */
export function directorySettings(body: DirectoryFields) {
  const { startTls = false, caCertificate, subjectAttribute = 'entryUUID', trustEmail = false } = body;
  return {
    urls: required('urls', body.urls),
    startTls,
    ...(caCertificate !== undefined && { caCertificate }),
    baseDn: required('baseDn', body.baseDn),
    bindDn: required('bindDn', body.bindDn),
    userFilter: required('userFilter', body.userFilter),
    subjectAttribute,
    trustEmail,
    ...secretExpiry(body),
  };
}

export function secretExpiry({ secretExpirationDate }: DirectoryFields): {
  readonly secretExpirationDate?: string;
} {
  return secretExpirationDate === undefined
    ? {}
    : { secretExpirationDate: secretExpirationDate.toISOString() };
}

/** @throws ApiError invalid-argument */
export function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw new ApiError('invalid-argument', `${field} is required`);
  return value;
}

const texts = z.array(z.string()).readonly();

/** Of a directory; `bindPassword` is shown to nobody. */
export const shownDirectory = {
  urls: texts.optional(),
  startTls: z.boolean().optional(),
  caCertificate: z.string().optional(),
  baseDn: z.string().optional(),
  bindDn: z.string().optional(),
  userFilter: z.string().optional(),
  subjectAttribute: z.string().optional(),
  trustEmail: z.boolean().optional(),
  secretExpirationDate: z.iso.datetime().optional(),
  /** When the first of its secret and certificates is no longer good. */
  expirationDate: z.iso.datetime().optional(),
  mapping: shownMappedFields.optional(),
};
