/**
 * Scopes with a meaning of this service's own (protocol §6.2). `urn:zitadel:…` and `urn:service:…` are equal.
 * Audience scopes are read in scopes.ts.
 */
export interface ReservedScopes {
  /** Organization scopes; a request may have one. */
  readonly organizations: readonly OrganizationScope[];
  /** Roles asked for by key, of the client's own project. */
  readonly roleKeys: readonly string[];
  /** All roles of every project in the audience. */
  readonly allRoles: boolean;
  /** Where not empty: only roles that these organizations gave. */
  readonly roleOrganizations: readonly string[];
  readonly resourceOwner: boolean;
  readonly metadata: boolean;
  /** The identity provider that people are sent to, if one is named. */
  readonly identityProvider?: string;
}

interface OrganizationScope {
  readonly by: 'id' | 'domain';
  readonly value: string;
}

const RESERVED = /^urn:(?:zitadel|service):iam:(.+)$/;
const ROLE = 'org:project:role:';
const ROLE_ORGANIZATION = 'org:roles:id:';
const ORGANIZATION = 'org:id:';
const DOMAIN = 'org:domain:primary:';
const IDENTITY_PROVIDER = 'org:idp:id:';

/** What stands behind the family's name, or undefined for a scope that is not ours. */
function ownPart(scope: string): string | undefined {
  return RESERVED.exec(scope)?.[1];
}

function valuesBehind(parts: readonly string[], prefix: string): string[] {
  return parts
    .filter((part) => part.startsWith(prefix) && part.length > prefix.length)
    .map((part) => part.slice(prefix.length));
}

/** The scope that asks for users of one organization. */
export function organizationScope(id: string): string {
  return `urn:zitadel:iam:${ORGANIZATION}${id}`;
}

export function readReservedScopes(scopes: readonly string[]): ReservedScopes {
  const parts = scopes.flatMap((scope) => ownPart(scope) ?? []);
  const [identityProvider] = valuesBehind(parts, IDENTITY_PROVIDER);
  return {
    organizations: [
      ...valuesBehind(parts, ORGANIZATION).map((value) => ({ by: 'id' as const, value })),
      // domains are stored in lower case and mean the same in any (RFC 4343)
      ...valuesBehind(parts, DOMAIN).map((value) => ({ by: 'domain' as const, value: value.toLowerCase() })),
    ],
    roleKeys: valuesBehind(parts, ROLE),
    allRoles: parts.includes('org:projects:roles'),
    roleOrganizations: valuesBehind(parts, ROLE_ORGANIZATION),
    resourceOwner: parts.includes('user:resourceowner'),
    metadata: parts.includes('user:metadata'),
    ...(identityProvider !== undefined && { identityProvider }),
  };
}

/** Whether a scope is one of those above. */
export function isReservedScope(scope: string): boolean {
  const { organizations, roleKeys, allRoles, roleOrganizations, resourceOwner, metadata, identityProvider } =
    readReservedScopes([scope]);
  if (allRoles || resourceOwner || metadata || identityProvider !== undefined) return true;
  return organizations.length + roleKeys.length + roleOrganizations.length > 0;
}
