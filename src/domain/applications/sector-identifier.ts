import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ApiError } from '../shared/errors.js';
import type { OrgId } from '../shared/ids.js';
import { calledUriProblem } from './called-uri.js';
import { ClientDocuments, DocumentUnavailable } from './client-documents.js';
import type { OidcConfig } from './oidc-config.js';

/**
 * The sector of an application with pairwise subjects (OpenID Connect Core §8.1): applications of one sector know a user by one
 * subject. It is the host of `sectorIdentifierUri`, or, without that, the single host of the redirect URIs, within an organization: anybody
 * can register somebody else's host, or the redirect URIs that somebody else's document lists, and would learn their subjects by
 * introspection, exchange or a device. The settings that it derives from may change while it stays the same.
 */

/** 100 redirect URIs of the greatest length fit in. */
const MOST_BYTES = 256 * 1024;

const listed = z.array(z.string());

type Sectored = Pick<
  OidcConfig,
  'subjectType' | 'sectorIdentifierUri' | 'redirectUris' | 'appType' | 'devMode'
>;

/** Settings of the instance about subjects. */
export abstract class SubjectSettings {
  /** Whether an application may be given pairwise subjects. One that has them keeps them. */
  abstract readonly servesPairwise: boolean;
}

/** Null for public subjects, which have none. What `sectorProblem` finds nothing wrong with has one otherwise. */
export function sectorOf(
  { subjectType, sectorIdentifierUri, redirectUris }: Sectored,
  orgId: OrgId,
): string | null {
  if (subjectType === 'public') return null;
  const [host] = sectorIdentifierUri === null ? hostsOf(redirectUris) : hostsOf([sectorIdentifierUri]);
  // no host has a space in it
  return host === undefined ? null : `${orgId} ${host}`;
}

/** Why `sectorIdentifierUri` cannot be what it is, without asking anybody; undefined when it can. */
export function sectorProblem(config: Sectored): string | undefined {
  const { subjectType, sectorIdentifierUri, redirectUris, appType, devMode } = config;
  if (sectorIdentifierUri !== null) return calledUriProblem(sectorIdentifierUri, devMode);
  if (subjectType === 'public') return undefined;
  const reason = whyNeeded(hostsOf(redirectUris), appType);
  return reason === undefined ? undefined : `is needed for pairwise subjects: ${reason}`;
}

function whyNeeded(hosts: readonly string[], appType: OidcConfig['appType']): string | undefined {
  // custom schemes have no host, and a host on the user's own machine is every application's
  if (appType === 'native') return 'the redirect URIs of a native application have no host of its own';
  if (hosts.length === 0) return 'there is no redirect URI';
  if (hosts.includes('')) return 'a redirect URI has no host';
  return hosts.length === 1 ? undefined : 'the redirect URIs have several hosts';
}

function hostsOf(redirectUris: readonly string[]): readonly string[] {
  return [...new Set(redirectUris.map((uri) => new URL(uri).hostname))];
}

/** Whether an application may have the subjects that it is to have, where the instance and another host have a say in it. */
@Injectable()
export class SectorIdentifiers {
  constructor(
    private readonly documents: ClientDocuments,
    private readonly settings: SubjectSettings,
  ) {}

  /** @param before as it is, where it is changed. @throws ApiError invalid-argument */
  requireServed({ subjectType }: Sectored, before?: Sectored): void {
    if (subjectType === 'public' || this.settings.servesPairwise || before?.subjectType === 'pairwise')
      return;
    throw new ApiError('invalid-argument', 'subjectType: this instance does not serve pairwise subjects');
  }

  /**
   * Whoever names a sector must be of it (Core §8.1): what stands at the address lists all redirect URIs. It is called where
   * something of that is new, and not in a transaction, which would wait for somebody else's server.
   *
   * @param before as it is, where it is changed
   * @throws ApiError invalid-argument
   */
  async require(config: Sectored, before?: Sectored): Promise<void> {
    this.requireServed(config, before);
    const { sectorIdentifierUri: uri, redirectUris, subjectType } = config;
    if (uri === null || (subjectType === 'public' && !this.settings.servesPairwise)) return;
    // other errors are reported by the reader of the rest of the configuration
    if (sectorProblem(config) !== undefined || isVerified(config, before)) return;
    const list = await this.listAt(uri);
    const missing = redirectUris.find((one) => !list.has(one));
    if (missing === undefined) return;
    throw new ApiError('invalid-argument', `sectorIdentifierUri does not list ${missing}`);
  }

  private async listAt(uri: string): Promise<ReadonlySet<string>> {
    try {
      const { text } = await this.documents.fetch(uri, MOST_BYTES);
      return new Set(listed.parse(JSON.parse(text)));
    } catch (error) {
      if (error instanceof DocumentUnavailable) {
        throw new ApiError('invalid-argument', `sectorIdentifierUri ${error.message}`);
      }
      if (error instanceof SyntaxError || error instanceof z.ZodError) {
        throw new ApiError(
          'invalid-argument',
          'sectorIdentifierUri does not answer with a JSON array of URIs',
        );
      }
      throw error;
    }
  }
}

/** The same address has listed them before. */
function isVerified(
  { sectorIdentifierUri: uri, redirectUris }: Sectored,
  before: Sectored | undefined,
): boolean {
  if (before?.subjectType !== 'pairwise' || before.sectorIdentifierUri !== uri) return false;
  return redirectUris.every((one) => before.redirectUris.includes(one));
}
