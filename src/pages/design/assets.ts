import { lightColours } from '../../rendering/design-tokens.js';
import { passkeyScript, passkeyScriptPath } from './passkey-script.js';
import { contentHash, stylesheet, stylesheetPath } from './stylesheet.js';

/** A file that pages refer to. Its path changes with its content, so it is sent with `immutable`. */
export interface Asset {
  readonly contentType: string;
  readonly body: string;
}

/** The service's own sign, a keyhole: the pages' icon in the browser's tab. */
const icon =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" ` +
  `fill="${lightColours.accent}"/><path fill="${lightColours.onAccent}" ` +
  `d="M16 7a5.5 5.5 0 0 0-2.6 10.3L11.8 25h8.4l-1.6-7.7A5.5 5.5 0 0 0 16 7z"/></svg>`;

export const iconPath = `/assets/identity-${contentHash(icon)}.svg`;

/** Everything under `/assets/`, by path. */
export const assets: ReadonlyMap<string, Asset> = new Map([
  [stylesheetPath, { contentType: 'text/css; charset=utf-8', body: stylesheet }],
  [passkeyScriptPath, { contentType: 'text/javascript; charset=utf-8', body: passkeyScript }],
  [iconPath, { contentType: 'image/svg+xml', body: icon }],
]);
