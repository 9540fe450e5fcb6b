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

export interface KeyedServiceUser extends ServiceUserClient {
  readonly publicJwk: JWK;
}

export abstract class ServiceUserClientsStore {
  /**
   * One prepared statement: the service user that has the secret, among those that the canonical name could mean. No
   * other user can stand in its way: whoever is named alike elsewhere has another secret.
   */
  abstract findBySecret(
    canonicalName: string,
    secretHash: Buffer,
    projectIds: readonly string[],
  ): Promise<ServiceUserClient | undefined>;

  /**
   * The service user with a secret whom the canonical name means; of several one, always the same. For requests that
   * have failed, to know whose secret was guessed at.
   */
  abstract findByName(
    canonicalName: string,
  ): Promise<{ readonly userId: UserId; readonly orgId: OrgId } | undefined>;

  /** One prepared statement: the owner of a key that has not expired. */
  abstract findByKey(
    keyId: string,
    userId: UserId,
    projectIds: readonly string[],
  ): Promise<KeyedServiceUser | undefined>;
}
