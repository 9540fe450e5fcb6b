import { Injectable } from '@nestjs/common';
import {
  assertionProblem,
  LONGEST_SECONDS,
  MAX_ASSERTION_LENGTH,
  SKEW_SECONDS,
} from '../client-auth/assertion-rules.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import { onAccountOf } from '../client-auth/client-fault.js';
import { ClientAuthSettings } from '../client-auth/private-key-jwt.js';
import { UsedAssertionsStore } from '../client-auth/used-assertions.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import {
  ServiceUsersStore,
  type KeyedServiceUser,
  type ServiceUserClient,
} from '../service-users/service-users.store.js';
import { Clock } from '../shared/clock.js';
import { OAuthError } from '../shared/errors.js';
import { isId, type UserId } from '../shared/ids.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { sha256 } from '../shared/random.js';
import { isSignedWith } from '../signing-keys/assertion-key.js';
import { readJwt, type ReadJwt } from '../signing-keys/read-jwt.js';
import { ServiceUserGrantType, type GrantOutcome } from './grant-type.js';
import { clientOf } from './service-user-client.js';
import { grantScopes, projectsNamedBy } from './service-user-scopes.js';

const TYPE = /^(?:application\/)?jwt$/i;

/**
 * grant_type `urn:ietf:params:oauth:grant-type:jwt-bearer` (RFC 7523 §2.1): a service user signs who it is, for this
 * service alone and for an hour at most, by a key on file. The key is the one of ours that the header names and of the
 * user that the assertion names, so that nobody signs for another. A `jti` is used up last, by one statement. Whatever
 * is wrong with the assertion is invalid_grant (§3.1) in the same words, and the log knows more.
 */
@Injectable()
export class JwtProfileGrant extends ServiceUserGrantType {
  override readonly type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

  constructor(
    private readonly serviceUsers: ServiceUsersStore,
    private readonly used: UsedAssertionsStore,
    private readonly instance: InstanceStore,
    private readonly settings: ClientAuthSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async authenticate({ authorization, parameters }: ClientCredentials): Promise<ServiceUserClient> {
    // credentials that are sent must be checked (RFC 7523 §3.1), and none can be good here: the assertion says it all
    if (
      authorization !== undefined ||
      parameters.has('client_secret') ||
      parameters.has('client_assertion')
    ) {
      throw new OAuthError(
        'invalid_request',
        'this grant takes no client authentication beside the assertion',
      );
    }
    const assertion = parameters.require('assertion');
    const { jwt, keyId, userId } = readUnverified(assertion);
    const { apiProjectId } = await this.instance.read();
    const projects = projectsNamedBy(parameters.get('scope'), apiProjectId);
    const user = await this.serviceUsers.findByKey(keyId, userId, projects);
    const known = user && { id: userId, orgId: user.orgId };
    return await onAccountOf({ named: userId, known, identification: 'guessed' }, async () => {
      if (user === undefined) throw refused('no such key of such a user, or expired');
      this.verifyAssertion(jwt, user);
      if (!user.active) throw refused('user or organization is not active');
      return user;
    });
  }

  override async verify(user: ServiceUserClient, parameters: OAuthParameters): Promise<GrantOutcome> {
    const { apiProjectId } = await this.instance.read();
    const granted = grantScopes(parameters.require('scope'), user, apiProjectId);
    await this.useUp(parameters.require('assertion'), user.userId);
    return {
      tokens: {
        ...granted,
        client: clientOf(user),
        authorizationId: null,
        subjectId: user.userId,
        subjectEpoch: user.tokenEpoch,
        authTime: this.clock.nowSeconds(),
        amr: [],
        idTokenClaims: [],
      },
    };
  }

  private verifyAssertion(jwt: ReadJwt, { userId, publicJwk }: KeyedServiceUser): void {
    const nowSeconds = this.clock.nowSeconds();
    const { issuer, tokenEndpoint } = this.settings;
    // what says the wrong thing costs no check of a signature
    const expected = { clientId: userId, audiences: [issuer, tokenEndpoint], nowSeconds };
    const problem = assertionProblem(jwt.payload, expected);
    if (problem !== undefined) throw refused(problem);
    if (!isSignedWith(jwt, publicJwk)) {
      throw refused('not verified: the signature or its algorithm is not that of the key');
    }
  }

  /** Of an assertion that is verified: nothing that passed the rules lives longer than this. */
  private async useUp(assertion: string, userId: UserId): Promise<void> {
    const jti = readJwt(assertion)?.payload.jti;
    if (jti === undefined) return;
    const hash = sha256(`service-user\u0000${userId}\u0000${jti}`);
    if (await this.used.use(hash, LONGEST_SECONDS + 2 * SKEW_SECONDS)) return;
    throw refused('used before');
  }
}

/** What an assertion claims before anything is known of it: whose it is, and by which key that can be checked. */
function readUnverified(assertion: string): {
  readonly jwt: ReadJwt;
  readonly userId: UserId;
  readonly keyId: string;
} {
  if (assertion.length > MAX_ASSERTION_LENGTH) throw refused('too long');
  const jwt = readJwt(assertion);
  if (jwt === undefined) throw refused('malformed');
  const { kid, typ } = jwt.header;
  const { sub } = jwt.payload;
  if (typeof kid !== 'string' || !isId(kid)) throw refused('kid is missing');
  if (typ !== undefined && (typeof typ !== 'string' || !TYPE.test(typ))) {
    throw refused('typ names another kind of token');
  }
  if (typeof sub !== 'string' || !isId(sub)) throw refused('sub is no user id');
  return { jwt, userId: sub as UserId, keyId: kid };
}

/** @param reason for the log alone */
function refused(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'assertion is invalid, expired or was used before', reason);
}
