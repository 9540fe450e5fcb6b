import { domainToASCII } from 'node:url';
import { ApiError } from '../../shared/errors.js';
import type { OrgId } from '../../shared/ids.js';
import { canonicalName } from './canonical-name.js';

/** `@` and the characters that become one in a canonical name. */
const AT = /[@\uFE6B\uFF20]/gu;

/** Who has verified the domain that a user name ends with, if anybody has. */
export interface DomainOwner {
  readonly orgId: OrgId;
  /** It is that organization's primary domain, which every login name of it ends with. */
  readonly isPrimary: boolean;
}

/** What stands before and behind the last `@` of a name in canonical form. */
export function partsOfName(
  canonical: string,
): { readonly local: string; readonly domain: string } | undefined {
  const at = canonical.lastIndexOf('@');
  if (at < 1 || at === canonical.length - 1) return undefined;
  return { local: canonical.slice(0, at), domain: canonical.slice(at + 1) };
}

/** A domain as those of organizations are stored (RFC 5891): `bücher.example` and `xn--bcher-kva.example` are one. */
export function domainInAscii(domain: string): string {
  // what is no domain stays as it is, and is nobody's
  return domainToASCII(domain) || domain;
}

/** The domain part of `name@domain` as domains of organizations are stored; null for a name without one. */
export function domainOfUserName(userName: string): string | null {
  const parts = partsOfName(canonicalName(userName));
  return parts === undefined ? null : domainInAscii(parts.domain);
}

/**
 * The user name to store for `userName` in `orgId`. A login name is `userName@<primary domain>`, so a name that
 * ends with the own primary domain is the login name already and loses that ending: kept, `ada@acme.test` would be
 * the name of one user and the login name of another. Every other domain stays part of the name.
 *
 * @throws ApiError invalid-argument when another organization has verified the domain
 */
export function userNameIn(orgId: OrgId, userName: string, owner: DomainOwner | undefined): string {
  if (owner === undefined) return userName;
  if (owner.orgId !== orgId) {
    const text = 'Domain is already reserved and cannot be used';
    throw new ApiError('invalid-argument', text, 'COMMAND-SFd21');
  }
  return owner.isPrimary ? withoutDomain(userName) : userName;
}

/** Ends what is left of `a@d@d` too: no name may keep an ending that is added to it again. */
function withoutDomain(userName: string): string {
  const domain = domainOfUserName(userName);
  if (domain === null) return userName;
  let name = userName;
  let ending: string | null = domain;
  while (ending === domain) {
    name = name.slice(0, [...name.matchAll(AT)].at(-1)?.index).trim();
    ending = domainOfUserName(name);
  }
  return name;
}
