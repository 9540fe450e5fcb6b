import type { ResponseType } from '../applications/oidc-config.js';
import type { ClaimsRequest } from '../authorizations/claims-request.js';
import type { MappedIdentity } from '../identity-providers/claim-mapping.js';
import type { ProviderSession } from '../sessions/sessions.store.js';
import type {
  ApplicationId,
  AuthRequestId,
  DeviceAuthorizationId,
  IdentityProviderId,
  OrgId,
  RegistrationId,
  SessionId,
  UserAgentId,
  UserId,
} from '../shared/ids.js';

/**
 * An authorization request as a state machine:
 *
 *   validated ──(session good enough)──────────────► answered
 *       └──(user must sign in)──► open ──(sign-in)──► answered
 *                                   └──(expiry)─────► gone
 *
 * `open` is a row bound to the browser that began it. It is answered once: whether max_age or prompt=login demand a
 * sign-in is judged when the request arrives and never again (OpenID Connect Core §3.1.2.1).
 */
export interface AuthorizationRequest {
  readonly applicationId: ApplicationId;
  readonly redirectUri: string;
  readonly responseType: ResponseType;
  readonly responseMode: ResponseMode;
  /** Known scopes of the request; includes openid. */
  readonly scopes: readonly string[];
  readonly state?: string;
  readonly nonce?: string;
  readonly codeChallenge?: string;
  /** Thumbprint of the key that the code is bound to (RFC 9449 §10). */
  readonly dpopJkt?: string;
  readonly prompts: readonly string[];
  readonly maxAge?: number;
  readonly loginHint?: string;
  readonly uiLocales: readonly string[];
  /** User claims asked for one by one, beside those of the scopes. */
  readonly claims?: ClaimsRequest;
  /** Served authentication context classes that were asked for, most preferred first. Any of them that is met will do. */
  readonly acrValues?: readonly string[];
  /** Whether nothing else will do (`acr` as an essential claim); otherwise they are a wish. */
  readonly acrEssential?: boolean;
  /**
   * The one user who may answer: subject of a valid id_token_hint, or `sub` of the claims parameter. Anybody can write
   * the latter, so nothing about this user may show on a page before they have signed in.
   */
  readonly hintedUserId?: string;
  /** The device that asks (RFC 8628): the answer is noted for it, and goes to no redirect URI. */
  readonly deviceAuthorizationId?: DeviceAuthorizationId;
  /** The application pushed it (RFC 9126): it is good once, so that nothing begins it again. */
  readonly pushed?: boolean;
}

/** How an answer reaches the redirect URI (OAuth 2.0 Multiple Response Type Encoding §2.1, Form Post §2). */
export const RESPONSE_MODES = ['query', 'fragment', 'form_post'] as const;
/** The same ways, with all parameters inside a signed JWT (JARM §2.3). */
export const JWT_RESPONSE_MODES = ['query.jwt', 'fragment.jwt', 'form_post.jwt'] as const;
export type PlainResponseMode = (typeof RESPONSE_MODES)[number];
export type ResponseMode = PlainResponseMode | (typeof JWT_RESPONSE_MODES)[number];

/** By which way a mode sends its answers, and whether as a JWT. */
export function partsOfMode(mode: ResponseMode): {
  readonly way: PlainResponseMode;
  readonly asJwt: boolean;
} {
  switch (mode) {
    case 'query.jwt':
      return { way: 'query', asJwt: true };
    case 'fragment.jwt':
      return { way: 'fragment', asJwt: true };
    case 'form_post.jwt':
      return { way: 'form_post', asJwt: true };
    case 'query':
    case 'fragment':
    case 'form_post':
      return { way: mode, asJwt: false };
  }
}

/** Where and how an answer travels, which is known of requests that are otherwise no good. */
export type AnswerChannel = Pick<AuthorizationRequest, 'redirectUri' | 'responseMode' | 'state'>;

/** Where a sign-in leads that no application asked for: names of ours, so that no URL is taken from a request. */
export type OwnDestination = 'home' | 'queues' | 'account';

/** What somebody has said of themselves whom a provider sent. */
interface TypedIdentity {
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

/**
 * Who the browser's user is at a provider, while nobody here is known by it. Nothing of it is true of anybody before they have
 * shown that the address is theirs, or the account that has the same address.
 */
export interface PendingIdentity {
  readonly providerId: IdentityProviderId;
  readonly providerName: string;
  readonly subject: string;
  readonly displayName: string;
  readonly orgId: OrgId;
  /** The one account that the identity may be linked to; null if there is none. No page may reveal the difference. */
  readonly userId: UserId | null;
  /** For an account that is made once the address is verified. */
  readonly mapped: MappedIdentity;
  /** The address was verified by us, or by a provider that the whole instance trusts; `mapped.emailVerified` is any provider's word. */
  readonly isOwnerVerified: boolean;
  /** The user name that the provider sent and an account here has (`userId`, if it may be linked): another one is asked for. */
  readonly takenName?: string;
  /** Values that the provider did not send and the user typed; they may be typed again. */
  readonly typed?: TypedIdentity;
  /** The provider's session, which a session that begins with the account then belongs to. */
  readonly providerSession?: ProviderSession;
  /** The registration that verifies the address. */
  readonly registrationId?: RegistrationId;
  /** In seconds of the database's clock since 1970: whoever signed in before has shown nothing for it. */
  readonly keptAt: number;
}

/** A request that waits for the user, or a sign-in without an application. */
export interface OpenAuthRequest {
  readonly id: AuthRequestId;
  readonly userAgentId: UserAgentId;
  readonly destination: 'application' | OwnDestination;
  /** Present when the destination is an application. */
  readonly request?: AuthorizationRequest;
  /** Of a sign-in without an application: the scope of the one organization that it is for, as an application would name it. */
  readonly ownScopes?: readonly string[];
  /** The session that is good enough once its user has done what they must do. */
  readonly sessionId?: SessionId;
}

/** As it is found again. */
export interface FoundAuthRequest extends OpenAuthRequest {
  /** When the request arrived, in seconds of the database's clock since 1970. */
  readonly begunAt: number;
  readonly pendingIdentity?: PendingIdentity;
}
