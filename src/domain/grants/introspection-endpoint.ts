import { Injectable } from '@nestjs/common';
import { isUnknownHere, type Application } from '../applications/application.js';
import { TLS_AUTH_METHODS, type ClientAuthMethod } from '../applications/oidc-config.js';
import { isFapi, signedBy, signsMessages } from '../applications/security-profile.js';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import type { SignedBy } from '../signing-keys/key-ring.js';
import { CheckAccessToken, type LiveToken } from '../tokens/access-token/check-access-token.js';
import type { ClaimSet } from '../tokens/claims/user-claims.js';
import { SignAnswer } from '../tokens/jwt/sign-answer.js';
import { audienceBesideOwn } from '../tokens/token-id.js';
import { IntrospectionClaims } from './introspection-claims.js';

/** What the table of protocol §8.5 lets a client introspect by; discovery lists it. */
export const INTROSPECTION_AUTH_METHODS: readonly ClientAuthMethod[] = [
  'client_secret_basic',
  'private_key_jwt',
  ...TLS_AUTH_METHODS,
];

/** RFC 7662 §2.2. Whatever is wrong with a token, the answer has this one member. */
const INACTIVE: ClaimSet = { active: false };

interface Introspection {
  readonly application: Application;
  readonly answer: ClaimSet;
  /** Signed even if not asked for: the profile of the calling client, or of the token's client, requires it (FAPI 2.0 Message Signing §5.5.1). */
  readonly isSigned: boolean;
  readonly by: SignedBy;
}

/**
 * The introspection endpoint (RFC 7662): tells a resource server whether a presented token is valid for
 * it right now. Only the audience of a token gets an answer; nobody else learns that the token exists.
 */
@Injectable()
export class IntrospectionEndpoint {
  constructor(
    private readonly authenticateClient: AuthenticateClient,
    private readonly checkAccessToken: CheckAccessToken,
    private readonly claims: IntrospectionClaims,
    private readonly signAnswer: SignAnswer,
  ) {}

  /**
   * @param isSignedAsked whether the client that asks wants a JWT (RFC 9701 §4)
   * @returns text where it is signed
   * @throws OAuthError invalid_client, invalid_request
   */
  async answer(credentials: ClientCredentials, isSignedAsked: boolean): Promise<ClaimSet | string> {
    const { application, answer, isSigned, by } = await this.ask(credentials);
    if (!isSignedAsked && !isSigned) return answer;
    return await this.signAnswer.ofIntrospection(answer, application.clientId, by);
  }

  private async ask(credentials: ClientCredentials): Promise<Introspection> {
    const { parameters } = credentials;
    parameters.refuseRepeated();
    const token = parameters.get('token');
    // both look-ups run in parallel; the caller is authenticated before anything about the token is returned
    const [application, live] = await Promise.all([
      this.authenticateClient.authenticate(credentials, INTROSPECTION_AUTH_METHODS),
      token === undefined ? undefined : this.checkAccessToken.check(token, true),
    ]);
    parameters.require('token');
    const audience = live && audienceFor(live, application);
    if (live === undefined || audience === undefined) {
      return {
        application,
        answer: INACTIVE,
        isSigned: signsMessages(application),
        by: asRegistered(application),
      };
    }
    const answer = await this.claims.of(live, application, audience);
    return {
      application,
      answer,
      isSigned: signsMessages(application) || signsMessages(live),
      by: isFapi(live) ? signedBy(live) : asRegistered(application),
    };
  }
}

/** A client that registered itself has not named an algorithm, since nothing here takes one: that is RS256 (RFC 9701 §6). */
function asRegistered(application: Application): SignedBy {
  return signedBy(application, (application.registration ?? null) === null ? null : 'RS256');
}

/**
 * Whom the token is for, when the asking client is one of them (protocol §6.3: by its client_id or its project). A
 * personal access token was made for no client: it is for every application of its owner's organization.
 */
function audienceFor(live: LiveToken, application: Application): readonly string[] | undefined {
  const { kind, subject, audience, context } = live;
  const { clientId, projectId, orgId } = application;
  // an unvetted client learns nothing about tokens whose audience does not name it
  if (isUnknownHere(application) && (kind === 'pat' || !audience.includes(clientId))) return undefined;
  if (kind === 'pat') return subject.orgId === orgId ? [clientId, projectId] : undefined;
  const named = audienceBesideOwn(live);
  if (!named.includes(clientId) && !named.includes(projectId)) return undefined;
  return [...new Set([...(context?.clientIds ?? []), ...audience])];
}
