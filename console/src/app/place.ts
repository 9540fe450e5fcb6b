import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { words } from './words.ts';

/** The names of places in the side bar. */
export const { nav } = words({ en, de });

interface About {
  readonly label: string;
  /** Those who lack it do not see the place. */
  readonly permission: string;
  /** The key after `g`. */
  readonly key?: string;
}

/** A page of the side bar. */
export interface Place extends About {
  readonly path: string;
}

/** The place that leads to a route. */
export interface PlaceOfRoute extends About {
  readonly at: { readonly fullPath: string };
}

/** The router gives routes their full path once it has all of them, so it is read where it is needed. */
export function placeAt(at: PlaceOfRoute['at'], about: About): PlaceOfRoute {
  return { ...about, at };
}
