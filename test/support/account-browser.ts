import type { LightMyRequestResponse } from 'fastify';
import type { TestApi } from './api.js';
import { hiddenFields, TestBrowser } from './browser-flow.js';
import { PASSWORD, type TestUser } from './users.js';

/** A browser on the pages of its user's own account: signed in there, without an application. */
export class AccountBrowser extends TestBrowser {
  static async signedIn(api: TestApi, user: TestUser, password = PASSWORD): Promise<AccountBrowser> {
    const browser = new AccountBrowser(api);
    await browser.signInHere(user, password);
    return browser;
  }

  /** @returns where the sign-in led */
  async signInHere(user: TestUser, password = PASSWORD): Promise<LightMyRequestResponse> {
    const begun = await this.get('/login?destination=account');
    const page = await this.get(begun.headers.location ?? '');
    return await this.post('/login', { ...hiddenFields(page.body), loginName: user.loginName, password });
  }

  /** What the page's forms carry besides what people type. */
  async fieldsOf(path: string): Promise<Record<string, string>> {
    const page = await this.get(path);
    if (page.statusCode !== 200)
      throw new Error(`no page: ${page.statusCode} ${page.headers.location ?? ''}`);
    return hiddenFields(page.body);
  }

  /** Fills the form of a page and sends it. */
  async fill(path: string, typed: Record<string, string>): Promise<LightMyRequestResponse> {
    return await this.post(path, { ...(await this.fieldsOf(path)), ...typed });
  }
}
