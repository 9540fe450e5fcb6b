import { createHash } from 'node:crypto';
import { styleRules } from './style-rules.js';

/** The stylesheet as it is sent: indentation and line ends that only help readers of this file are gone. */
export const stylesheet = styleRules.trim().replace(/\n+\s*/g, '\n');

/** Where pages look for it. A changed stylesheet has another address; an old address need not be served. */
export const stylesheetPath = `/assets/identity-${contentHash(stylesheet)}.css`;

/** Sixteen hexadecimal characters that change with the content. */
export function contentHash(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
