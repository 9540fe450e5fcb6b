/** How a directory is reached, and who somebody is there. */
export interface LdapSettings {
  /** `ldaps://` or `ldap://`; the next one where one does not answer. */
  readonly urls: readonly string[];
  /** TLS on a connection of `ldap://` (RFC 4511 §4.14), before anything else is said. */
  readonly startTls: boolean;
  /** Those that sign its certificate, in PEM; absent for the usual ones. */
  readonly caCertificate?: string | undefined;
  /** Under it people are looked for. */
  readonly baseDn: string;
  /** Who looks for them. */
  readonly bindDn: string;
  /** RFC 4515, with `{loginName}` for what was typed. */
  readonly userFilter: string;
  /** By which the directory knows people for good: `entryUUID`, `objectGUID`. */
  readonly subjectAttribute: string;
  /** Its addresses count as verified. */
  readonly trustEmail: boolean;
  /** For connection, search and bind together. */
  readonly timeoutMs: number;
  /** When the directory takes the bind password no longer, as far as somebody has told; in the form of RFC 3339. */
  readonly secretExpirationDate?: string | undefined;
  /** Attributes that must have these values, or nobody gets in. */
  readonly requiredClaims: Readonly<Record<string, string>>;
}

export interface LdapDestination {
  readonly kind: 'ldap';
  readonly settings: LdapSettings;
}

/** Stands for what was typed. */
export const LOGIN_NAME = '{loginName}';

/** What the directory is said to vouch for (`trustEmail`); no attribute has such a name. */
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
