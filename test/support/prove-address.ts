import type { LightMyRequestResponse } from 'fastify';
import type { TestApi } from './api.js';
import { hiddenFields, type TestBrowser } from './browser-flow.js';
import { collectMails, linkIn } from './mailbox.js';

/** Types the code that has just been sent, on the page that a provider's user was led to. @param asked what led there */
export async function proveAddress(
  api: TestApi,
  browser: TestBrowser,
  asked: LightMyRequestResponse,
): Promise<LightMyRequestResponse> {
  const page = await browser.get(asked.headers.location ?? '');
  const { code } = linkIn((await collectMails(api)).at(-1), '/register/verify');
  return await browser.post('/register/verify', { ...hiddenFields(page.body), code });
}
