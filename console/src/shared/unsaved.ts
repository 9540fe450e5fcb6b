import { createContext, useEffect } from 'react';

/** What the page has that is typed and not saved: several forms may stand on one page, and whoever leaves is asked once for all. */

export interface Unsaved {
  /** As the page calls it. */
  readonly what: string;
  /** Whether it is lost where somebody goes from one address to another. */
  readonly isLeftBy: (from: string, to: string) => boolean;
}

/** What a form stands in, by its title: that is what it is called where it has no name of its own. */
export const Titled = createContext<string | undefined>(undefined);

const unsaved = new Set<Unsaved>();

/** For as long as there is something: the forms are told in the order in which they were begun. */
export function useUnsaved(one: Unsaved | undefined): void {
  useEffect(() => {
    if (one === undefined) return undefined;
    unsaved.add(one);
    return () => {
      unsaved.delete(one);
    };
  }, [one]);
}

export function unsavedBetween(from: string, to: string): readonly Unsaved[] {
  return [...unsaved].filter(({ isLeftBy }) => isLeftBy(from, to));
}
