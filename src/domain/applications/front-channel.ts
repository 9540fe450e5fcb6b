import type { SessionId } from '../shared/ids.js';
import type { OidcConfig } from './oidc-config.js';
import { redirectUriProblem } from './redirect-uri.js';

/** Whether the instance supports front-channel logout; also the injection token of these settings. */
export abstract class FrontChannelLogoutSettings {
  abstract readonly issuer: string;
  abstract readonly served: boolean;
}

/** An application that a session signed in to, with its front-channel logout URI. */
export interface FrontChannel {
  readonly uri: string;
  readonly sessionId: SessionId;
  /** For which it knows sessions by name; none with public subjects. */
  readonly pairwiseSector: string | null;
}

/**
 * What a Content-Security-Policy can name a host by, and nothing that could end the directive and begin another: a URL may have `;` in
 * its host. It has no way to name an IPv6 address (CSP Level 3 §2.3.1).
 */
const NAMEABLE_HOST = /^[a-z0-9._-]+$/;

/**
 * Why `uri` may not be registered for front-channel logout, or undefined when it may (Front-Channel Logout §2). A page of ours
 * frames it, so it is of an origin where the application gets its answers anyway, and of no other.
 */
export function frontChannelUriProblem(
  uri: string,
  { appType, devMode, redirectUris }: Pick<OidcConfig, 'appType' | 'devMode' | 'redirectUris'>,
): string | undefined {
  const problem = redirectUriProblem(uri, appType, devMode);
  if (problem !== undefined) return problem;
  const { protocol, hostname, origin } = new URL(uri);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must use https';
  if (!NAMEABLE_HOST.test(hostname)) return 'must have a host of letters, digits, dots and hyphens';
  const isOwn = redirectUris.some((known) => URL.canParse(known) && new URL(known).origin === origin);
  return isOwn ? undefined : 'must have scheme, host and port of a redirect URI';
}
