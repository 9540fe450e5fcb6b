import type { createRemoteJWKSet } from 'jose';
import * as oauth from 'oauth4webapi';
import type { OAuthProvider } from '../../domain/identity-providers/identity-provider.js';
import type { OidcProtocol } from '../../domain/identity-providers/oauth/presets.js';
import { ProviderUnavailable } from '../../domain/identity-providers/provider-client.js';
import type { ProviderCalls } from './provider-calls.js';

/**
 * How long a discovery document is cached, and the provider assumed to be available. Keys are fetched again as soon as a
 * token names an unknown one.
 */
const DISCOVERY_MS = 60_000;
const MOST_REMEMBERED = 1_000;

/** Marks of oauth4webapi for an issuer that differs from tenant to tenant; its types leave them out. */
const { _nodiscoverycheck: ANY_ISSUER, _expectedIssuer: EXPECTED_ISSUER } = oauth as unknown as {
  readonly _nodiscoverycheck: URL;
  readonly _expectedIssuer: symbol;
};

export interface Discovered {
  readonly until: number;
  readonly server: Promise<oauth.AuthorizationServer>;
  readonly keys: oauth.JWKSCacheInput;
  /** Made when a logout token comes, so that who sends many has the keys read no oftener. */
  logoutKeys?: ReturnType<typeof createRemoteJWKSet>;
}

/** Discovery documents of providers, read when they are needed and remembered for a minute. */
export class ProviderDiscovery {
  private readonly remembered = new Map<string, Discovered>();

  constructor(private readonly calls: ProviderCalls) {}

  find(provider: OAuthProvider, { issuer, multiTenant }: OidcProtocol): Discovered {
    const now = performance.now();
    // the same document is read in two ways
    const key = `${multiTenant ? 'many' : 'one'} ${issuer}`;
    const known = this.remembered.get(key);
    if (known !== undefined && known.until > now) return known;
    this.makeRoom(key);
    const server = this.readDiscovery(provider, issuer, multiTenant);
    const found: Discovered = { until: now + DISCOVERY_MS, server, keys: known?.keys ?? {} };
    this.remembered.set(key, found);
    server.catch(() => {
      if (this.remembered.get(key) === found) this.remembered.delete(key);
    });
    return found;
  }

  /** The oldest goes, so that whoever names many issuers takes nobody else's away at once. */
  private makeRoom(key: string): void {
    this.remembered.delete(key);
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined && this.remembered.size >= MOST_REMEMBERED) this.remembered.delete(oldest);
  }

  private async readDiscovery(
    provider: OAuthProvider,
    issuer: string,
    multiTenant: boolean,
  ): Promise<oauth.AuthorizationServer> {
    // others wait for the same answer: no deadline of one of them
    const response = await oauth.discoveryRequest(new URL(issuer), this.calls.options(provider));
    if (response.status !== 200) throw new ProviderUnavailable(`discovery answers ${response.status}`);
    if (!multiTenant) return await oauth.processDiscoveryResponse(new URL(issuer), response);
    const server = await oauth.processDiscoveryResponse(ANY_ISSUER, response);
    return {
      ...server,
      // each directory is an issuer of its own, which the token names
      [EXPECTED_ISSUER]: ({ claims }: { claims: { tid?: unknown } }) =>
        server.issuer.replace('{tenantid}', String(claims.tid)),
    };
  }
}
