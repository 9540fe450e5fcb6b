import { describe, expect, it } from 'vitest';
import { ClientDocuments, DocumentUnavailable } from '../../../src/domain/applications/client-documents.js';
import { oidcConfigSchema, type OidcConfig } from '../../../src/domain/applications/oidc-config.js';
import {
  SectorIdentifiers,
  sectorOf,
  sectorProblem,
} from '../../../src/domain/applications/sector-identifier.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';

const AT = 'https://sector.example.com/uris.json';
const ORG = 'org1' as OrgId;
const CALLBACK = 'https://shop.example.com/cb';

function config(changes: Partial<OidcConfig> = {}): OidcConfig {
  return { ...oidcConfigSchema.parse({ redirectUris: [CALLBACK] }), subjectType: 'pairwise', ...changes };
}

class Documents extends ClientDocuments {
  asked: string[] = [];
  text: string | undefined = JSON.stringify([CALLBACK, 'https://shop.example.org/cb']);

  override fetch(address: string) {
    this.asked.push(address);
    if (this.text === undefined) return Promise.reject(new DocumentUnavailable('cannot be fetched'));
    return Promise.resolve({ text: this.text, maxAgeSeconds: undefined });
  }
}

describe('the sector of an application', () => {
  it.each<[string, Partial<OidcConfig>, string | null]>([
    ['none with public subjects', { subjectType: 'public', sectorIdentifierUri: AT }, null],
    ['the host of its one redirect URI, in its organization', {}, 'org1 shop.example.com'],
    [
      'the one host of several, whatever their ports and paths',
      { redirectUris: [CALLBACK, 'https://SHOP.example.com:8443/other'] },
      'org1 shop.example.com',
    ],
    ['the host of its sector identifier URI', { sectorIdentifierUri: AT }, 'org1 sector.example.com'],
    [
      'that, where it has no redirect URI',
      { redirectUris: [], sectorIdentifierUri: AT },
      'org1 sector.example.com',
    ],
  ])('is %s', (_what, changes, sector) => {
    expect(sectorProblem(config(changes))).toBeUndefined();
    expect(sectorOf(config(changes), ORG)).toBe(sector);
  });

  it.each([
    ['the host of somebody else', config()],
    ['redirect URIs that somebody else’s address lists', config({ sectorIdentifierUri: AT })],
    ['the address alone', config({ redirectUris: [], sectorIdentifierUri: AT })],
  ])('is not shared with another organization that names %s (S310)', (_what, named) => {
    expect(sectorOf(named, 'org2' as OrgId)).not.toBe(sectorOf(named, ORG));
  });

  it.each<[string, Partial<OidcConfig>, string]>([
    ['several hosts', { redirectUris: [CALLBACK, 'https://shop.example.org/cb'] }, 'have several hosts'],
    ['no redirect URI', { redirectUris: [] }, 'there is no redirect URI'],
    ['a scheme alone', { devMode: true, redirectUris: ['app:/cb'] }, 'a redirect URI has no host'],
    ['a custom scheme', { appType: 'native', redirectUris: ['com.example.app:/cb'] }, 'no host of its own'],
    ['everybody’s host', { appType: 'native', redirectUris: ['http://127.0.0.1/cb'] }, 'no host of its own'],
    ['an address in clear', { sectorIdentifierUri: 'http://sector.example.com/' }, 'must use https'],
    [
      'credentials',
      { sectorIdentifierUri: 'https://a:b@sector.example.com/' },
      'must not contain credentials',
    ],
    ['a fragment', { sectorIdentifierUri: `${AT}#x` }, 'must not have a fragment'],
    ['no address', { sectorIdentifierUri: 'sector' }, 'is not an absolute URI'],
  ])('cannot come of %s', (_what, changes, problem) => {
    expect(sectorProblem(config(changes))).toContain(problem);
  });
});

describe('a sector identifier URI', () => {
  const both = { redirectUris: [CALLBACK, 'https://shop.example.org/cb'], sectorIdentifierUri: AT };
  const served = { servesPairwise: true };

  it('must list all redirect URIs', async () => {
    const documents = new Documents();
    const sectors = new SectorIdentifiers(documents, served);
    await expect(sectors.require(config(both))).resolves.toBeUndefined();
    expect(documents.asked).toEqual([AT]);
    documents.text = JSON.stringify([CALLBACK]);
    await expect(sectors.require(config(both))).rejects.toThrow(
      'sectorIdentifierUri does not list https://shop.example.org/cb',
    );
  });

  it.each(['{}', '[1]', 'x', '"https://shop.example.com/cb"'])('that answers %s lists none', async (text) => {
    const documents = new Documents();
    documents.text = text;
    await expect(new SectorIdentifiers(documents, served).require(config(both))).rejects.toThrow(
      'sectorIdentifierUri does not answer with a JSON array of URIs',
    );
  });

  it('that cannot be fetched lists none', async () => {
    const documents = new Documents();
    documents.text = undefined;
    await expect(new SectorIdentifiers(documents, served).require(config(both))).rejects.toThrow(
      'sectorIdentifierUri cannot be fetched',
    );
  });

  it('is asked again where there is something that it has not listed', async () => {
    const documents = new Documents();
    const sectors = new SectorIdentifiers(documents, served);
    const before = config(both);
    await sectors.require(config({ ...both, redirectUris: [CALLBACK], clockSkewSeconds: 2 }), before);
    expect(documents.asked).toEqual([]);
    await sectors.require(config(both), config({ ...both, redirectUris: [CALLBACK] }));
    await sectors.require(config(both), config({ ...both, sectorIdentifierUri: `${AT}?2` }));
    await sectors.require(config(both), config({ ...both, subjectType: 'public' }));
    expect(documents.asked).toHaveLength(3);
  });
});

describe('an instance that does not serve pairwise subjects', () => {
  const sectors = new SectorIdentifiers(new Documents(), { servesPairwise: false });

  it('gives them to no application, and takes them from none', async () => {
    await expect(sectors.require(config())).rejects.toThrow('does not serve pairwise subjects');
    await expect(sectors.require(config(), config({ subjectType: 'public' }))).rejects.toThrow();
    await expect(sectors.require(config(), config({ clockSkewSeconds: 1 }))).resolves.toBeUndefined();
    await expect(sectors.require(config({ subjectType: 'public' }), config())).resolves.toBeUndefined();
  });
});
