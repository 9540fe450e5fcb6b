import { Injectable } from '@nestjs/common';
import { canonicalName } from '../users/canonical-name.js';
import { type NameCandidate, SignInNamesStore } from './sign-in-names.store.js';

const MAX_LENGTH = 500;

/**
 * Whom a typed name means. The full login name always decides. A bare user name or a verified e-mail works where it
 * is unambiguous: within the default organization, else within the instance. Otherwise nobody is meant, and the
 * page asks for the full name without telling why.
 */
@Injectable()
export class ResolveLoginName {
  constructor(private readonly names: SignInNamesStore) {}

  async resolve(typed: string): Promise<NameCandidate | undefined> {
    const trimmed = typed.trim();
    if (trimmed === '' || trimmed.length > MAX_LENGTH || trimmed.includes('\u0000')) return undefined;
    return chooseCandidate(await this.names.findCandidates(canonicalName(trimmed)));
  }
}

/** The one user that a name means among those it could mean. */
function chooseCandidate(candidates: readonly NameCandidate[]): NameCandidate | undefined {
  const full = candidates.find((candidate) => candidate.full);
  if (full !== undefined) return full;
  const inDefault = candidates.filter((candidate) => candidate.inDefaultOrg);
  return only(inDefault) ?? (inDefault.length === 0 ? only(candidates) : undefined);
}

/** The one user that all candidates are, or undefined. */
function only(candidates: readonly NameCandidate[]): NameCandidate | undefined {
  const [first] = candidates;
  return candidates.every((candidate) => candidate.userId === first?.userId) ? first : undefined;
}
