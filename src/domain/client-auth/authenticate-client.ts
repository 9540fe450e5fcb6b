import { Injectable } from '@nestjs/common';
import { isClientId, type Application } from '../applications/application.js';
import { ApplicationsStore } from '../applications/applications.store.js';
import { TLS_AUTH_METHODS, type ClientAuthMethod } from '../applications/oidc-config.js';
import { FAPI_AUTH_METHODS, isFapi } from '../applications/security-profile.js';
import { OAuthError } from '../shared/errors.js';
import {
  refusedClient,
  type ClientAuthenticationMethod,
  type ClientCredentials,
} from './client-authentication.js';
import { ClientFault, letIn, onAccountOf, type FaultyClient } from './client-fault.js';
import { clientSecretBasic } from './client-secret-basic.js';
import { clientSecretPost } from './client-secret-post.js';
import { isTlsAuthMethod, MutualTls } from './mutual-tls.js';
import { PrivateKeyJwt } from './private-key-jwt.js';
import { publicClient } from './public-client.js';

/** Methods that a client may use at the token endpoint and that discovery therefore lists. */
export const SUPPORTED_CLIENT_AUTH_METHODS: readonly ClientAuthMethod[] = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'private_key_jwt',
  ...TLS_AUTH_METHODS,
];

/** Two ways to send one secret (RFC 6749 §2.3.1): libraries choose the way, and the secret decides. */
const BY_SECRET: ReadonlySet<ClientAuthMethod> = new Set(['client_secret_basic', 'client_secret_post']);

/**
 * Finds out which client sends a request. Every failure looks the same outside: unknown client, wrong secret or key, a
 * deactivated client. Only a client that is known, because its secret is right or because it is public and has none,
 * learns that it used the wrong method.
 */
@Injectable()
export class AuthenticateClient {
  /** Those that a request tries visibly; `none` is what remains. */
  private readonly methods: readonly ClientAuthenticationMethod[];

  constructor(
    private readonly applications: ApplicationsStore,
    privateKeyJwt: PrivateKeyJwt,
    private readonly mutualTls: MutualTls,
  ) {
    this.methods = [clientSecretBasic, clientSecretPost, privateKeyJwt];
  }

  /**
   * @param taken the methods that the endpoint takes (spec, Authentication table)
   * @throws OAuthError invalid_client, or invalid_request when more than one mechanism is used
   */
  async authenticate(
    credentials: ClientCredentials,
    taken: readonly ClientAuthMethod[] = SUPPORTED_CLIENT_AUTH_METHODS,
  ): Promise<Application> {
    const used = this.methods.filter((method) => method.isUsedBy(credentials));
    if (used.length > 1) {
      throw new OAuthError('invalid_request', 'client authentication must not use more than one method');
    }
    const method = used[0] ?? publicClient;
    const claim = method.readClaim(credentials);
    const named = credentials.parameters.get('client_id');
    if (named !== undefined && named !== claim.clientId) {
      throw refusedClient('client_id differs from credentials');
    }
    const application = isClientId(claim.clientId)
      ? await this.applications.findClient(claim.clientId)
      : undefined;
    const byCertificate = certificateMethod(method, credentials, application);
    const isNamedAlone = method === publicClient && byCertificate === undefined;
    return await onAccountOf(refusedAs(claim.clientId, application, isNamedAlone), async () => {
      const verified = await (byCertificate?.verify(this.mutualTls) ?? claim.verify(application));
      if (application === undefined) throw refusedClient('unknown client');
      if (!application.active) throw refusedClient('application, project or organization is not active');
      const { authMethod } = application;
      // an application that changes its own registration could have left what its profile allows
      const allowed = isFapi(application) ? taken.filter((one) => FAPI_AUTH_METHODS.includes(one)) : taken;
      if (verified && isTaken(byCertificate?.name ?? method.name, authMethod, allowed)) return application;
      const isKnown = authMethod === 'none' || (verified && !isNamedAlone);
      if (isKnown) throw new ClientFault(refusedMethod(authMethod, allowed), letIn(application));
      throw refusedClient(
        isNamedAlone
          ? `neither a secret nor an assertion nor a certificate, registered for ${authMethod}`
          : `wrong secret or key by ${method.name}, registered for ${authMethod}`,
      );
    });
  }
}

/**
 * A certificate says nothing of why it has come: a client may authenticate by it, or have its tokens bound to it. So it counts
 * for a client that is registered for that, and has presented nothing else.
 */
function certificateMethod(
  tried: ClientAuthenticationMethod,
  { certificate }: ClientCredentials,
  application: Application | undefined,
): { readonly name: ClientAuthMethod; verify(by: MutualTls): Promise<boolean> } | undefined {
  if (tried !== publicClient || certificate === undefined || application === undefined) return undefined;
  const name = application.authMethod;
  return isTlsAuthMethod(name)
    ? { name, verify: async (mutualTls) => await mutualTls.verify(application, certificate) }
    : undefined;
}

/**
 * A client is pinned to the method that it is registered for, so that nothing can be left out or replaced. The two ways
 * to send a secret are one where the endpoint takes both.
 */
function isTaken(
  used: ClientAuthMethod,
  registered: ClientAuthMethod,
  allowed: readonly ClientAuthMethod[],
): boolean {
  if (!allowed.includes(used) || !allowed.includes(registered)) return false;
  return used === registered || (BY_SECRET.has(used) && BY_SECRET.has(registered));
}

function refusedMethod(registered: ClientAuthMethod, allowed: readonly ClientAuthMethod[]): OAuthError {
  const notHere = allowed.includes(registered) ? '' : ', which this endpoint does not take';
  return new OAuthError(
    'invalid_client',
    `the application is registered for the authentication method ${registered}${notHere}`,
    `registered for ${registered}`,
  );
}

/** Whoever sends a public client's name with a secret guesses at nothing: there is none. */
function refusedAs(named: string, application: Application | undefined, isNamedAlone: boolean): FaultyClient {
  const guessed = application?.authMethod !== 'none' && !isNamedAlone;
  return {
    named,
    known: application && { id: application.clientId, orgId: application.orgId },
    identification: guessed ? 'guessed' : 'named',
  };
}
