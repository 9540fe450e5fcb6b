import { Injectable } from '@nestjs/common';
import { refusedClient, type ClientCredentials } from '../client-auth/client-authentication.js';
import { ClientFault } from '../client-auth/client-fault.js';
import { clientSecretBasic, readBasicSecret } from '../client-auth/client-secret-basic.js';
import { clientSecretPost } from '../client-auth/client-secret-post.js';
import type { PresentedSecret } from '../client-auth/client-secret.js';
import { ServiceUsersStore, type ServiceUserClient } from '../service-users/service-users.store.js';
import { OAuthError } from '../shared/errors.js';
import { sha256 } from '../shared/random.js';
import { canonicalName } from '../users/names/canonical-name.js';

const ASSERTION_PARAMETERS = ['client_assertion', 'client_assertion_type'] as const;
const LIKE_AN_APPLICATION = /^[0-9]+$/;
const LONGEST_NAME = 500;

/** Whether it is what the ids of applications look like, and no service user's name does. */
export function looksLikeApplication(clientId: string): boolean {
  return LIKE_AN_APPLICATION.test(clientId);
}

function isName(clientId: string): boolean {
  return clientId.length <= LONGEST_NAME && !clientId.includes('\u0000');
}

/** What a request with a secret says, and the service user whose secret it is, if it is one's who is active. */
interface AuthenticatedServiceUser {
  readonly clientId: string;
  readonly user: ServiceUserClient | undefined;
}

/** A service user as a client: its login name and secret, by Basic header or in the body (RFC 6749 §2.3.1). */
@Injectable()
export class AuthenticateServiceUser {
  constructor(private readonly serviceUsers: ServiceUsersStore) {}

  /** Whether the request holds one secret and nothing else, by a name that could be a service user's. */
  isUsedBy(credentials: ClientCredentials): boolean {
    const { authorization, parameters } = credentials;
    const byHeader = clientSecretBasic.isUsedBy(credentials);
    if (byHeader === clientSecretPost.isUsedBy(credentials)) return false;
    if (ASSERTION_PARAMETERS.some((name) => parameters.has(name))) return false;
    const named = parameters.get('client_id');
    if (!byHeader) return named !== undefined && !looksLikeApplication(named);
    const { clientId } = readBasicSecret(authorization);
    return (named === undefined || named === clientId) && !looksLikeApplication(clientId);
  }

  /**
   * @param projects that its tokens are asked for
   * @throws OAuthError invalid_client, or invalid_request when more than one mechanism is used
   */
  async bySecret(
    credentials: ClientCredentials,
    projects: readonly string[],
  ): Promise<AuthenticatedServiceUser> {
    const presented = readSecret(credentials);
    const user = await this.find(presented, projects);
    return { clientId: presented.clientId, user: user?.active === true ? user : undefined };
  }

  /** The refusal of a wrong secret, with the service user of that name, if there is one, for the log. */
  async refusal(clientId: string): Promise<OAuthError> {
    const refused = refusedClient('unknown service user, wrong secret or inactive');
    const named = isName(clientId) ? await this.serviceUsers.findByName(canonicalName(clientId)) : undefined;
    const known = named && { id: named.userId, orgId: named.orgId };
    return new ClientFault(refused, { named: clientId, known, identification: 'guessed' });
  }

  private async find(
    { clientId, secret }: PresentedSecret,
    projects: readonly string[],
  ): Promise<ServiceUserClient | undefined> {
    if (!isName(clientId)) return undefined;
    return await this.serviceUsers.findBySecret(canonicalName(clientId), sha256(secret), projects);
  }
}

/** @throws OAuthError invalid_client, or invalid_request when more than one mechanism is used */
function readSecret(credentials: ClientCredentials): PresentedSecret {
  const { authorization, parameters } = credentials;
  const byHeader = clientSecretBasic.isUsedBy(credentials);
  const byBody = clientSecretPost.isUsedBy(credentials);
  const byAssertion = ASSERTION_PARAMETERS.some((name) => parameters.has(name));
  if ([byHeader, byBody, byAssertion].filter(Boolean).length > 1) {
    throw new OAuthError('invalid_request', 'client authentication must not use more than one method');
  }
  const named = parameters.get('client_id');
  if (byHeader) {
    const presented = readBasicSecret(authorization);
    if (named === undefined || named === presented.clientId) return presented;
    throw refusedClient('client_id differs from credentials');
  }
  if (!byBody) throw refusedClient('neither a Basic header nor a secret in the body');
  return { clientId: parameters.require('client_id'), secret: parameters.require('client_secret') };
}
