import * as oauth from 'oauth4webapi';
import { ProviderRefused, ProviderUnavailable } from '../../domain/identity-providers/provider-client.js';

/** @throws ProviderUnavailable, ProviderRefused */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderUnavailable || error instanceof ProviderRefused) throw error;
    if (isOutage(error)) throw new ProviderUnavailable(kindOf(error));
    throw new ProviderRefused(kindOf(error));
  }
}

/** What oauth4webapi throws of an answer that is one, and not a good one; anything else is a call that failed. */
function isOutage(error: unknown): boolean {
  if (error instanceof ProviderUnavailable) return true;
  if (error instanceof ProviderRefused) return false;
  if (error instanceof oauth.ResponseBodyError) return error.status >= 500;
  if (error instanceof oauth.OperationProcessingError) {
    const { cause } = error as { readonly cause?: unknown };
    return cause instanceof Response && cause.status >= 500;
  }
  return !(
    error instanceof oauth.AuthorizationResponseError ||
    error instanceof oauth.UnsupportedOperationError ||
    error instanceof oauth.WWWAuthenticateChallengeError
  );
}

/** What went wrong, by kind only: messages name hosts, addresses and values. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
