import type { HeldRole } from '../permissions/rank.js';
import type { UserId } from '../shared/ids.js';

/**
 * All that a grant of a token exchange hangs from, those that it came from included: whenever one of these ends, the
 * grant holds no longer, and so none of its tokens. It is asked for each time that one is looked at (storage,
 * `exchange_holds`), so that nobody has to find and end what came of what.
 */
export interface TokenLineage {
  /** Who acts, with the epoch of the token that showed it. */
  readonly users: readonly { readonly userId: string; readonly epoch: number }[];
  readonly grants: readonly string[];
  readonly sessions: readonly string[];
  /** `jti` of the access tokens that were exchanged: one that is revoked by itself ends what came of it, too. */
  readonly tokens: readonly string[];
  readonly personalAccessTokens: readonly string[];
  /** Roles that somebody must still hold. */
  readonly roles: readonly ({ readonly userId: string } & HeldRole)[];
  /** Who must not have risen: they may hold these and no others. */
  readonly subjects: readonly { readonly userId: UserId; readonly roles: readonly HeldRole[] }[];
}

/** Each tie once. */
export function mergedLineage(all: readonly Partial<TokenLineage>[]): TokenLineage {
  return {
    users: once(all.flatMap(({ users }) => users ?? [])),
    grants: once(all.flatMap(({ grants }) => grants ?? [])),
    tokens: once(all.flatMap(({ tokens }) => tokens ?? [])),
    sessions: once(all.flatMap(({ sessions }) => sessions ?? [])),
    personalAccessTokens: once(all.flatMap(({ personalAccessTokens }) => personalAccessTokens ?? [])),
    roles: once(all.flatMap(({ roles }) => roles ?? [])),
    subjects: once(all.flatMap(({ subjects }) => subjects ?? [])),
  };
}

function once<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
