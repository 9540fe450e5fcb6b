import { Injectable } from '@nestjs/common';
import type { OrgId } from '../shared/ids.js';
import { canonicalName } from '../users/canonical-name.js';
import { type NameCandidate, SignInNamesStore } from './sign-in-names.store.js';

const MAX_LENGTH = 500;

/**
 * Whom a typed name means. The full login name always decides. A bare user name or a verified e-mail works where it
 * is unambiguous: within the default organization, else within the instance. Otherwise nobody is meant, and the
 * page asks for the full name without telling why. Where an organization is asked for (contract §6.2), its
 * users come before all others, whoever else has the name.
 */
@Injectable()
export class ResolveLoginName {
  constructor(private readonly names: SignInNamesStore) {}

  /** @param firstIn the organization that is asked for */
  async resolve(typed: string, firstIn?: OrgId): Promise<NameCandidate | undefined> {
    const trimmed = typed.trim();
    if (trimmed === '' || trimmed.length > MAX_LENGTH || trimmed.includes('\u0000')) return undefined;
    const candidates = await this.names.findCandidates(canonicalName(trimmed), firstIn);
    const inFirst = candidates.filter(({ orgId }) => orgId === firstIn);
    return chooseCandidate(inFirst.length > 0 ? inFirst : candidates);
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
