import type { ProviderHosts } from '../../notifications/providers/provider-hosts.js';
import { ApiError } from '../../shared/errors.js';
import { canonicalName } from '../../users/names/canonical-name.js';
import type { ClaimMapping } from '../claim-mapping.js';
import type { KindRules } from '../kind-rules.js';
import { areCertificates, firstExpiry } from './ca-certificates.js';
import {
  LDAP_FIELDS,
  LOGIN_NAME,
  TRUSTED_EMAIL,
  type LdapDestination,
  type LdapSettings,
} from './ldap-kind.js';

type DirectoryOf = Pick<LdapSettings, 'urls' | 'startTls' | 'caCertificate' | 'bindDn'>;

/** RFC 4512 §2.5 with options: what is asked for must not be a list of special meaning. */
const ATTRIBUTE = /^[A-Za-z0-9][A-Za-z0-9.;-]{0,199}$/;

export function ldapRules({ settings }: LdapDestination): KindRules {
  const { baseDn, subjectAttribute } = settings;
  return {
    fields: LDAP_FIELDS,
    // servers move, and are several; what people are known by stays
    subjects: [baseDn, subjectAttribute],
    keptSubject: (subject) => directorySubject(settings, subject),
    secret: {
      field: 'bindPassword',
      destination: directoryOf(settings),
      require: () => undefined,
    },
    typedUrls: [],
    isComplete: true,
    expiresAt: expiryOf(settings),
    requireAllowed: (hosts) => requireDirectory(settings, hosts),
  };
}

/** Whichever comes first: after either of them nobody signs in. */
export function expiryOf({
  caCertificate,
  secretExpirationDate,
}: Pick<LdapSettings, 'caCertificate' | 'secretExpirationDate'>): Date | undefined {
  const dates = [
    caCertificate === undefined ? undefined : firstExpiry(caCertificate),
    secretExpirationDate === undefined ? undefined : new Date(secretExpirationDate),
  ].filter((date) => date !== undefined);
  return dates.toSorted((a, b) => a.getTime() - b.getTime())[0];
}

/** Everything that says where the bind password goes. */
export function directoryOf({ urls, startTls, caCertificate, bindDn }: DirectoryOf): string {
  return JSON.stringify([urls, startTls, caCertificate, bindDn]);
}

/** What is read of whoever signs in. */
export function attributesOf(
  { requiredClaims }: Pick<LdapSettings, 'requiredClaims'>,
  { fields, roles, metadata }: ClaimMapping,
): readonly string[] {
  const claims = [
    ...Object.values({ ...LDAP_FIELDS, ...fields }),
    ...[...roles, ...metadata].map(({ claim }) => claim),
    ...Object.keys(requiredClaims),
  ];
  return [...new Set(claims)].filter((claim) => claim !== TRUSTED_EMAIL && ATTRIBUTE.test(claim));
}

/**
 * Attributes whose values a directory compares without regard to case (RFC 4519, RFC 4530, RFC 2798, Active Directory). Of any
 * other one nothing is known: there `Ab1` and `aB1` may be two people.
 */
const CASELESS = new Set(
  (
    'entryuuid nsuniqueid ipauniqueid guid objectguid objectsid uid cn mail employeenumber entrydn distinguishedname ' +
    'samaccountname userprincipalname employeeid'
  ).split(' '),
);

/** The canonical form of a directory entry's subject: another spelling is the same user. */
export function directorySubject(
  { subjectAttribute }: Pick<LdapSettings, 'subjectAttribute'>,
  subject: string,
): string {
  return CASELESS.has(subjectAttribute.toLowerCase()) ? canonicalName(subject) : subject;
}

/**
 * What tries are counted by. Directories compare names without regard to case, and blanks in a row count as one (RFC 4518
 * §2.6.1): spellings of a name must not have tries of their own.
 */
export function oneSpelling(name: string): string {
  return canonicalName(name).replaceAll(/\s+/gu, ' ');
}

/** @throws ApiError invalid-argument */
export function requireDirectory(
  { urls, startTls, caCertificate, userFilter, subjectAttribute }: Omit<LdapSettings, 'timeoutMs'>,
  hosts: ProviderHosts,
): void {
  for (const url of urls) {
    const problem = hosts.problemWithDirectory(url, startTls);
    if (problem !== undefined) throw new ApiError('invalid-argument', `urls ${problem}`);
  }
  if (caCertificate !== undefined && !areCertificates(caCertificate)) {
    throw new ApiError('invalid-argument', 'caCertificate must be a certificate in PEM');
  }
  if (!userFilter.includes(`=${LOGIN_NAME})`)) {
    throw new ApiError(
      'invalid-argument',
      `userFilter must compare something with ${LOGIN_NAME}: (uid=${LOGIN_NAME})`,
    );
  }
  if (!isBalanced(userFilter)) {
    throw new ApiError('invalid-argument', 'userFilter must be a filter of RFC 4515');
  }
  if (!ATTRIBUTE.test(subjectAttribute)) {
    throw new ApiError('invalid-argument', 'subjectAttribute must be the name of an attribute');
  }
}

/** One filter in parentheses, each of which is closed; what is between them the client reads at a sign-in. */
function isBalanced(filter: string): boolean {
  let depth = 0;
  const ends = filter.split('').flatMap((character, index) => {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    return depth <= 0 ? [index] : [];
  });
  return filter.startsWith('(') && depth === 0 && ends[0] === filter.length - 1;
}
