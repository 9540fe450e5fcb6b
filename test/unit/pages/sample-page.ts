import type { Page } from '../../../src/pages/layout.js';
import { textsFor } from '../../../src/pages/texts.js';

export const samplePage: Page = {
  texts: textsFor(['en']),
  nonce: 'bm9uY2U',
  organization: { name: 'Acme' },
};

export const sampleForm = { action: '/login', csrf: 'csrf-token', flow: 'flow-id' };

/** Strings that would do something if any layer let them. */
export const hostileStrings: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus=alert(1) autofocus='",
  '</title></textarea></style><svg onload=alert(1)>',
  '<!--',
  '&lt;b&gt;',
  '{{7*7}}${7*7}<%= 7*7 %>#{7*7}',
  "' OR 1=1--",
  '*)(uid=*',
  '<a href=//evil.test>',
];
