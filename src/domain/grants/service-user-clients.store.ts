import type { JWK } from 'jose';
import type { OrgId, UserId } from '../shared/ids.js';
import type { ServiceUserIdentity } from '../tokens/token-client.js';

/** A service user at the token endpoint. */
export interface ServiceUserClient extends ServiceUserIdentity {
  readonly orgId: OrgId;
  /** The user and its organization both are. */
  readonly active: boolean;
  /** Of the projects that were asked for, those that its tokens may be for: its organization's and the service's own. */
  readonly audience: readonly string[];
}

/** One of those that a name could mean. */
export interface NamedServiceUser extends ServiceUserClient {
  readonly clientSecretHash: Buffer | null;
  /** Named by the full login name, `userName@<primary domain>`. */
  readonly full: boolean;
  readonly inDefaultOrg: boolean;
}

export interface KeyedServiceUser extends ServiceUserClient {
  readonly publicJwk: JWK;
}

export abstract class ServiceUserClientsStore {
  /** One prepared statement, by canonical name; service users only. */
  abstract findByName(
    canonicalName: string,
    projectIds: readonly string[],
  ): Promise<readonly NamedServiceUser[]>;

  /** One prepared statement: the owner of a key that has not expired. */
  abstract findByKey(
    keyId: string,
    userId: UserId,
    projectIds: readonly string[],
  ): Promise<KeyedServiceUser | undefined>;
}
