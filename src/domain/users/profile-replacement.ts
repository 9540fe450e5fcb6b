import type { HumanProfile } from './user.js';

/** What takes the place of a profile. */
export interface ProfileReplacement {
  readonly profile: HumanProfile;
  /** Claims beyond protocol §1.1 that were not named: whoever knows only those fields does not empty the others. */
  readonly kept: readonly (keyof HumanProfile)[];
}

/** What a human is called who was given no other name to be shown by. */
export function usualDisplayName({
  firstName,
  lastName,
}: Pick<HumanProfile, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`;
}
