import { REDIRECT_URI_FAULTS, redirectUriFault } from './redirect-uri.js';

/**
 * Why `uri` may not be registered as the address where somebody else lets a sign-in begin, or undefined when it may (OpenID Connect
 * Core §4). Browsers are sent there, so it is held to the rules of redirect URIs; to those of the web whatever the application is,
 * because it has to be https.
 */
export function initiateLoginUriProblem(uri: string, devMode: boolean): string | undefined {
  const fault = redirectUriFault(uri, 'web', devMode);
  return fault === 'http' ? 'must use https (http only with devMode)' : fault && REDIRECT_URI_FAULTS[fault];
}
