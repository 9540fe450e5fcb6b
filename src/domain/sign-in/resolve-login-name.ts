import { Injectable } from '@nestjs/common';
import { canonicalName } from '../users/names/canonical-name.js';
import { SignInNamesStore, type NameCandidate, type SignInPlace } from './sign-in-names.store.js';

const MAX_LENGTH = 500;

interface LookedUpName {
  readonly user: NameCandidate | undefined;
  /** Undefined for what can be nobody's. */
  readonly canonical: string | undefined;
  /** It is somebody's, even where it is not clear whose. */
  readonly isKnown: boolean;
}

/**
 * Resolves a typed name to a user. Nobody in one organization can change whom an address means that a user of another one has
 * proven, in an application of that user's organization:
 *
 * 1. the organization that the request names, 2. the application's: its own users, by full login name, user name or
 * verified address; 3. a full login name (`userName@<primary domain>`) of whichever organization; 4. addresses that
 * count everywhere (`SignInNamesStore.findCandidates`). A full login name of elsewhere comes before a bare name of the
 * application's organization, yet never before an address that somebody there, or of its own organization, has proven.
 *
 * If two are left, or none, the name does not resolve, and the page asks for the full name without saying why.
 */
@Injectable()
export class ResolveLoginName {
  constructor(private readonly names: SignInNamesStore) {}

  async resolve(typed: string, place: SignInPlace): Promise<NameCandidate | undefined> {
    return (await this.lookUp(typed, place)).user;
  }

  /** With what else a refused sign-in wants to know of the name. */
  async lookUp(typed: string, place: SignInPlace): Promise<LookedUpName> {
    const canonical = canonicalTyped(typed);
    if (canonical === undefined) return { user: undefined, canonical, isKnown: false };
    const candidates = await this.names.findCandidates(canonical, place);
    return { user: chooseCandidate(candidates), canonical, isKnown: candidates.length > 0 };
  }
}

/** A typed name as names are compared; undefined for what can be nobody's. */
export function canonicalTyped(typed: string): string | undefined {
  const trimmed = typed.trim();
  if (trimmed === '' || trimmed.length > MAX_LENGTH || trimmed.includes('\u0000')) return undefined;
  return canonicalName(trimmed);
}

/** The one user that a name means among those it could mean. */
function chooseCandidate(candidates: readonly NameCandidate[]): NameCandidate | undefined {
  const full = candidates.find((candidate) => candidate.full);
  const named = candidates.filter(({ at }) => at === 'named');
  if (named.length > 0) return ofOneOrganization(named);
  const own = candidates.filter(({ at }) => at === 'application');
  if (own.some(({ proven }) => proven)) return ofOneOrganization(own);
  if (full !== undefined) return ofOneOrganization(candidates.filter(({ orgId }) => orgId === full.orgId));
  return only(own.length > 0 ? own : candidates);
}

/**
 * Whoever in it has proven that it is their address comes before all others: a stranger who registers there chooses a name, and
 * with the primary domain it may be what a colleague's address is (security S379); a manager, an import or a directory gives an
 * account that nobody has used yet somebody's address for a user name (security S473). Else its full login name comes first.
 */
function ofOneOrganization(candidates: readonly NameCandidate[]): NameCandidate | undefined {
  const owners = new Set(candidates.filter(({ proven }) => proven).map(({ userId }) => userId));
  const left = candidates.filter(({ userId }) => owners.size === 0 || owners.has(userId));
  return left.find(({ full }) => full) ?? only(left);
}

/** The one user that all candidates are, or undefined. */
function only(candidates: readonly NameCandidate[]): NameCandidate | undefined {
  const [first] = candidates;
  return candidates.every((candidate) => candidate.userId === first?.userId) ? first : undefined;
}
