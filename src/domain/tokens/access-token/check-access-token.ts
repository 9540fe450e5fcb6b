import { Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import type { ClientRegistration } from '../../applications/application.js';
import type { SecurityProfile } from '../../applications/oidc-config.js';
import type { Actor } from '../../authorizations/actor.js';
import { boundBy, type Confirmation } from '../../authorizations/confirmation.js';
import { Clock } from '../../shared/clock.js';
import type { ApplicationId, OrgId } from '../../shared/ids.js';
import { sha256 } from '../../shared/random.js';
import { KeyRing } from '../../signing-keys/key-ring.js';
import { readJwt } from '../../signing-keys/read-jwt.js';
import type { SigningAlgorithm } from '../../signing-keys/signing-key.js';
import { PairwiseSubjects, type ClientClaims } from '../claims/pairwise-subjects.js';
import type { Subject } from '../claims/user-claims.js';
import { readReservedScopes } from '../scopes/reserved-scopes.js';
import { parseTokenId } from '../token-id.js';
import { TokenSettings } from '../token-settings.js';
import { TokensStore, type TokenContext } from '../tokens.store.js';
import type { AccessTokenContent } from './access-token.js';
import { isOpaqueToken, openOpaqueToken, readOpaqueHeader } from './opaque-token.js';

/** A token that is good right now, and whom it speaks for. */
export interface LiveToken {
  readonly subject: Subject;
  /** `pat`: a personal access token, which has no client and every audience of this service. */
  readonly kind: 'access' | 'pat';
  readonly scopes: readonly string[];
  /** User claims that userinfo gives beside those of the scopes. */
  readonly userinfoClaims: readonly string[];
  readonly audience: readonly string[];
  readonly clientId?: string;
  /** The client's project, and whether it gives its roles unasked. */
  readonly clientProject?: { readonly id: string; readonly assertsRoles: boolean };
  /** The application that it was issued to; none for a service user's own token. */
  readonly applicationId?: ApplicationId;
  /** Signs the userinfo response, if the client wants it signed. */
  readonly userinfoAlgorithm?: SigningAlgorithm;
  /** What the application is held to that it was issued to. */
  readonly securityProfile?: SecurityProfile;
  /** The organization whose claims webhook adds to userinfo, where the application asks for that. */
  readonly claimsWebhookOf?: OrgId;
  /** Of its application, where that has pairwise subjects (`PairwiseSubjects`). */
  readonly pairwiseSector?: string;
  /** How its application came here, where it registered itself. */
  readonly registration?: ClientRegistration;
  /** Present while the browser session lives that it came from. */
  readonly sessionId?: string;
  /** Who acts for the subject. */
  readonly actor?: Actor;
  /** What it is bound to: whoever presents it must show to have that (`CheckPresentedToken`). */
  readonly confirmation?: Confirmation;
  readonly jti: string;
  readonly expiresAt?: number;
  readonly issuedAt?: number;
  /** Where it was asked for. */
  readonly context?: TokenContext;
}

const PAT_PREFIX = 'pat_';
/** Room for the longest scope parameter and the audience it can ask for; Node takes no more than 16 KiB of headers. */
const MAX_JWT_LENGTH = 12_288;

interface Opened {
  readonly content: AccessTokenContent;
  readonly kid: string | null;
  readonly tokenKeyId: number | null;
}

/**
 * Answers whether a bearer token is good, in every form there is. Opening or verifying needs no I/O; then one SQL
 * round trip decides, so that revoke, logout and deactivation hold on every replica when their call returns.
 */
@Injectable()
export class CheckAccessToken {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly tokens: TokensStore,
    private readonly names: PairwiseSubjects,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
  ) {}

  /**
   * The active token, or undefined for anything else; the reason must not be visible outside.
   * @param withContext also reads, in the same round trip, what introspection adds
   */
  async check(token: string, withContext = false): Promise<LiveToken | undefined> {
    if (token.startsWith(PAT_PREFIX)) return await this.checkPersonalAccessToken(token);
    const opened = await this.open(token);
    if (opened === undefined) return undefined;
    const { content } = opened;
    const id = parseTokenId(content.jti);
    if (id === undefined) return undefined;
    const found = await this.tokens.findSubjectOfLiveToken({
      jti: content.jti,
      authorizationId: id.authorizationId,
      subject: content.subject,
      subjectEpoch: id.subjectEpoch,
      clientId: content.clientId,
      clientEpoch: id.clientEpoch,
      sessionId: content.sessionId ?? null,
      kid: opened.kid,
      tokenKeyId: opened.tokenKeyId,
      // a JWT says itself which clients it is for
      projectIds: withContext ? (opened.kid === null ? content.audience : []) : null,
      audience: withContext || mayTellOfRoles(content) ? content.audience : null,
      issuedAt: content.issuedAt,
    });
    if (found === undefined) return undefined;
    const { lostAudience, ...live } = found;
    const audience =
      lostAudience.length === 0
        ? content.audience
        : content.audience.filter((one) => !lostAudience.includes(one));
    return { ...content, ...live, audience, kind: 'access' };
  }

  /** What a genuine access token says that has not expired, whether or not something has ended it. */
  async read(token: string): Promise<AccessTokenContent | undefined> {
    return (await this.open(token))?.content;
  }

  private async open(token: string): Promise<Opened | undefined> {
    const opened = isOpaqueToken(token) ? await this.openOpaque(token) : await this.openJwt(token);
    if (opened === undefined || opened.content.expiresAt <= this.clock.nowSeconds()) return undefined;
    return opened;
  }

  private async checkPersonalAccessToken(token: string): Promise<LiveToken | undefined> {
    if (token.length > 100) return undefined;
    const found = await this.tokens.findSubjectOfPersonalAccessToken(sha256(token));
    if (found === undefined) return undefined;
    return {
      subject: found.subject,
      kind: 'pat',
      scopes: ['openid', 'profile'],
      userinfoClaims: [],
      audience: [],
      jti: found.tokenId,
      issuedAt: found.issuedAt,
      ...(found.expiresAt === undefined ? {} : { expiresAt: found.expiresAt }),
    };
  }

  private async openOpaque(token: string): Promise<Opened | undefined> {
    const header = readOpaqueHeader(token);
    if (header === undefined) return undefined;
    const key = await this.keyRing.tokenKey(header.keyId);
    if (key === undefined) return undefined;
    const content = openOpaqueToken(key, header.bytes);
    return content === undefined ? undefined : { content, kid: null, tokenKeyId: header.keyId };
  }

  private async openJwt(token: string): Promise<Opened | undefined> {
    const jwt = token.length > MAX_JWT_LENGTH ? undefined : readJwt(token);
    if (jwt === undefined || !isAccessTokenType(jwt.header['typ'])) return undefined;
    const { kid } = jwt.header;
    const verifier = await this.keyRing.verifier(kid);
    // the algorithm is our record's, never the header's (RFC 8725 §3.1)
    if (typeof kid !== 'string' || verifier === undefined) return undefined;
    if (!jwt.isSignedBy(verifier.key, [verifier.algorithm])) return undefined;
    const { iss, client_id: clientId, scope, cnf, ...claims } = jwt.payload;
    if (iss !== this.settings.issuer) return undefined;
    // an ID token has neither member: it is never taken for an access token
    if (typeof clientId !== 'string' || typeof scope !== 'string') return undefined;
    const { jti, aud, iat: issuedAt, exp: expiresAt } = claims;
    const told = this.told(claims);
    if (jti === undefined || told === undefined || aud === undefined) return undefined;
    const { sub: subject, sid, act } = told;
    if (issuedAt === undefined || expiresAt === undefined) return undefined;
    const content: AccessTokenContent = {
      jti,
      subject,
      clientId,
      ...(sid === undefined ? {} : { sessionId: sid }),
      scopes: scope.split(' '),
      audience: Array.isArray(aud) ? aud : [],
      ...(act === undefined ? {} : { actor: act }),
      ...boundBy(cnf),
      issuedAt,
      expiresAt,
    };
    return { content, kid, tokenKeyId: null };
  }

  /** Whom it names, by their ids. */
  private told({ jti, sub, sid, act }: JWTPayload): ClientClaims | undefined {
    if (jti === undefined || sub === undefined) return undefined;
    const told = { sub, sid: typeof sid === 'string' ? sid : undefined, act: act as Actor | undefined };
    return parseTokenId(jti)?.pairwise === true ? this.names.idsIn(told) : told;
  }
}

/** As the application has it (RFC 9068 §2.1); both are ours, and neither is an ID token's alone. */
function isAccessTokenType(typ: unknown): boolean {
  return typ === 'JWT' || typ === 'at+jwt';
}

/** Userinfo returns the roles of every project in the audience; the service's own APIs need only their own. */
function mayTellOfRoles({ scopes }: AccessTokenContent): boolean {
  const { allRoles, roleKeys } = readReservedScopes(scopes);
  return allRoles || roleKeys.length > 0;
}
