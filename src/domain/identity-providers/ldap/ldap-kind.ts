import { z } from 'zod';
import { line } from '../../shared/text-schemas.js';
import { claim, requiredClaims, secretExpirationDate, url } from '../settings-fields.js';

/** How a directory is reached, and how it identifies users; users of an old system may be migrated from one as well. */
export const directorySettings = z.object({
  /** `ldaps://` or `ldap://`. */
  urls: z
    .array(url)
    .min(1, 'must have 1 to 5 entries')
    .max(5, 'must have 1 to 5 entries')
    .readonly()
    .meta({ description: 'Of a directory: `ldaps://…`; the next one where one does not answer.' }),
  /** TLS on a connection of `ldap://` (RFC 4511 §4.14), before anything else is said. */
  startTls: z.boolean().default(false),
  /** Those that sign its certificate, in PEM; absent for the usual ones. */
  caCertificate: z.string().max(20_000, 'must have at most 20000 characters').optional(),
  /** Under it people are looked for. */
  baseDn: line(1000),
  bindDn: line(1000).meta({ description: 'Who looks people up in the directory.' }),
  secretExpirationDate,
  userFilter: line(2000).meta({ description: 'RFC 4515, with `{loginName}` for what was typed.' }),
  subjectAttribute: claim.default('entryUUID').meta({
    description: 'By which the directory knows people for good: `entryUUID`, `objectGUID`.',
  }),
  trustEmail: z.boolean().default(false).meta({ description: 'Its addresses count as verified.' }),
});

/** Of an identity provider: bodies and answers of the API are made from it. */
export const ldapSettings = directorySettings.extend({
  /** For connection, search and bind together. */
  timeoutMs: z.int().min(500).max(10_000).default(5_000),
  /** Of attributes. */
  requiredClaims,
});
export type LdapSettings = Readonly<z.output<typeof ldapSettings>>;

export interface LdapDestination {
  readonly kind: 'ldap';
  readonly settings: LdapSettings;
}

/** Stands for what was typed. */
export const LOGIN_NAME = '{loginName}';

/** Claim that is true if the settings trust the directory's addresses (`trustEmail`); no attribute has this name. */
export const TRUSTED_EMAIL = 'email_verified';

/** Of people in directories (RFC 2798, RFC 4519), where the mapping says nothing else. */
export const LDAP_FIELDS = {
  email: 'mail',
  emailVerified: TRUSTED_EMAIL,
  firstName: 'givenName',
  lastName: 'sn',
  displayName: 'displayName',
  preferredLanguage: 'preferredLanguage',
} as const;
