import {
  certificateOf,
  confirmationOfCertificate,
  confirmationOfKey,
  type Confirmation,
} from '../authorizations/confirmation.js';
import { randomToken } from '../shared/random.js';

/**
 * The `jti` of an access token carries what ends it: the grant it comes from and the epochs of subject and client
 * at issue. Raising an epoch (deactivation, password reset, secret removal) ends every token issued before, and
 * nothing had to be written when they were issued. It also marks a JWT with pairwise subjects: they look like an
 * id, and could be the id of somebody else.
 */
export interface TokenId {
  /** Null for a token that a service user got for itself: no row stands for it, and its own epoch ends it. */
  readonly authorizationId: string | null;
  readonly subjectEpoch: number;
  readonly clientEpoch: number;
  readonly pairwise: boolean;
  /**
   * Of an ID token, what the access token beside it is bound to: at the token exchange it opens no more than that. Access tokens say it
   * in `cnf`, which no client looks for in an ID token.
   */
  readonly confirmation?: Confirmation;
}

/** Stands for no grant; the id of a grant is longer. */
const NO_AUTHORIZATION = '-';
const FORM =
  /^([A-Za-z0-9_-]{1,64})\.([0-9]{1,9})\.([0-9]{1,9})\.(p\.)?(?:([kc])\.([A-Za-z0-9_-]{43})\.)?[A-Za-z0-9_-]{12}$/;

export function makeTokenId(id: TokenId): string {
  const mark = (id.pairwise ? 'p.' : '') + boundMark(id.confirmation);
  return `${id.authorizationId ?? NO_AUTHORIZATION}.${id.subjectEpoch}.${id.clientEpoch}.${mark}${randomToken(9)}`;
}

export function parseTokenId(jti: string): TokenId | undefined {
  const match = FORM.exec(jti);
  if (match?.[1] === undefined) return undefined;
  const authorizationId = match[1] === NO_AUTHORIZATION ? null : match[1];
  const [, , , , , kind, thumbprint] = match;
  return {
    authorizationId,
    subjectEpoch: Number(match[2]),
    clientEpoch: Number(match[3]),
    pairwise: match[4] !== undefined,
    ...(thumbprint !== undefined && {
      confirmation: kind === 'c' ? confirmationOfCertificate(thumbprint) : confirmationOfKey(thumbprint),
    }),
  };
}

/** `k` for a key and `c` for a certificate, with its thumbprint. */
function boundMark(confirmation: Confirmation | undefined): string {
  if (confirmation === undefined) return '';
  const certificate = certificateOf(confirmation);
  return certificate === undefined ? `k.${confirmation}.` : `c.${certificate}.`;
}

/** Whether an access token is a service user's own: its client is the user, and no application. */
export function isServiceUsersOwn(jti: string): boolean {
  return parseTokenId(jti)?.authorizationId === null;
}

/**
 * The clients and projects that a token is for. A service user's own names the user as client and, for want of others, as
 * audience: whoever names one like a client of somebody else must not get into that client's audience by it.
 */
export function audienceBesideOwn({
  jti,
  audience,
  clientId,
}: {
  readonly jti: string;
  readonly audience: readonly string[];
  readonly clientId?: string | undefined;
}): readonly string[] {
  return isServiceUsersOwn(jti) ? audience.filter((one) => one !== clientId) : audience;
}
