import type { Language } from '../shared/locale.js';
import type { Logo } from './logo.js';

/** How an organization's pages and mails look; what is not given is the built-in default. */
export interface BrandingPolicy {
  /** In place of the organization's own name; 1 to 200 characters. */
  readonly displayName?: string;
  /** `#rrggbb`, lower case */
  readonly accentColor?: string;
  readonly logo?: Logo;
  readonly defaultLanguage?: Language;
  /** https, at most 2,048 characters */
  readonly helpUrl?: string;
  /** https, at most 2,048 characters */
  readonly privacyUrl?: string;
}
