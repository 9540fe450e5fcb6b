import * as oauth from 'oauth4webapi';
import type { OAuthProvider } from '../../domain/identity-providers/identity-provider.js';
import { CircuitBreaker } from '../circuit-breaker.js';
import { guardedFetch, type GuardedRequest } from '../guarded-fetch.js';

/** Of oauth4webapi, for all calls of one sign-in. */
export type CallOptions = oauth.ProtectedResourceRequestOptions;

/** Calls to the servers of providers, which are left alone for a while where they fail. */
export class ProviderCalls {
  private readonly breaker = new CircuitBreaker();

  constructor(readonly allowPrivate: boolean) {}

  /** Whether the server at the address is left alone at present. */
  isHeldBack(provider: OAuthProvider, url: string): boolean {
    return this.breaker.isOpen(circuitOf(provider, url));
  }

  options(provider: OAuthProvider, deadline?: AbortSignal, keys?: oauth.JWKSCacheInput) {
    return {
      [oauth.customFetch]: async (url: string, request: GuardedRequest) =>
        await this.call(provider, url, { ...request, deadline }),
      [oauth.allowInsecureRequests]: this.allowPrivate,
      ...(keys !== undefined && { [oauth.jwksCache]: keys }),
    };
  }

  /**
   * Counts what goes over the wire, and each server of a provider by itself: one that answers says nothing of another.
   * @throws CircuitOpen, and as `guardedFetch`
   */
  async call(provider: OAuthProvider, url: string, request: GuardedRequest): Promise<Response> {
    try {
      return await this.breaker.run(
        circuitOf(provider, url),
        () => true,
        async () => {
          const response = await guardedFetch(url, request, this.allowPrivate);
          if (response.status >= 500) throw new ServerFailed(response);
          return response;
        },
      );
    } catch (error) {
      if (error instanceof ServerFailed) return error.response;
      throw error;
    }
  }
}

/** An answer that counts as a failure, and is looked at like any other. */
class ServerFailed extends Error {
  constructor(readonly response: Response) {
    super(`status ${response.status}`);
  }
}

function circuitOf({ id }: OAuthProvider, url: string): string {
  return `${id} ${new URL(url).origin}`;
}
