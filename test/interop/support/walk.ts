import type { HtmlForm } from '../../conformance/support/html-form.js';
import type { ForeignApp } from './foreign-app.js';
import type { Stage } from './stage.js';
import { WebBrowser, type Page } from './web-browser.js';

/** What a foreign program answers, beside `/login` and its redirect URI; all of it as JSON. */
export const STEPS = {
  /** `/me` after signing in: claims of the ID token or of userinfo, whatever the library gives its user. */
  'sign-in': '/me',
  /** `/userinfo`: claims, by the library's own call. */
  userinfo: '/userinfo',
  /** `/refresh`: `{ "refreshed": true }` once there is another access token. */
  refresh: '/refresh',
  /** `/introspect`: the answer about the access token. */
  introspection: '/introspect',
  /** `/revoke`: `{ "revoked": true }`; afterwards `/userinfo` must fail. */
  revocation: '/revoke',
  /** `/logout`: leads by our end-session endpoint back to the program. */
  logout: '/logout',
} as const;
export type Step = keyof typeof STEPS;

type Json = Readonly<Record<string, unknown>>;

/** Drives a foreign program as somebody at a browser would; throws with the program's own words where a step fails. */
export async function walk(
  stage: Stage,
  app: ForeignApp,
  steps: readonly Step[],
  loginPath = '/login',
): Promise<Json> {
  const walker = new Walker(stage, app, loginPath);
  const me = await walker.signIn();
  for (const step of steps) {
    switch (step) {
      case 'sign-in':
        break;
      case 'userinfo':
        walker.expect(await walker.ask('userinfo'), { sub: stage.user.userId }, '/userinfo');
        break;
      case 'refresh':
        walker.expect(await walker.ask('refresh'), { refreshed: true }, '/refresh');
        break;
      case 'introspection':
        walker.expect(await walker.ask('introspection'), { active: true }, '/introspect');
        break;
      case 'revocation':
        walker.expect(await walker.ask('revocation'), { revoked: true }, '/revoke');
        if (steps.includes('userinfo')) await walker.expectRefusal('userinfo');
        break;
      case 'logout':
        await walker.logout();
        break;
    }
  }
  return me;
}

class Walker {
  private readonly browser = new WebBrowser();

  constructor(
    private readonly stage: Stage,
    private readonly app: ForeignApp,
    private readonly loginPath: string,
  ) {}

  async signIn(): Promise<Json> {
    const asked = await this.openSignIn();
    const values = { loginName: this.stage.user.loginName, password: this.stage.password };
    const back = await this.passButtons(await this.browser.submit(asked.page, asked.form, values));
    if (back.url.origin !== this.app.origin) throw this.problem('signing in did not lead back', back);
    if (back.status >= 400) throw this.problem('the program refused our answer', back);
    const me = await this.ask('sign-in');
    this.expect(me, this.claims, '/me');
    return me;
  }

  /** Who signs in, as the scopes `openid profile email` tell. */
  private get claims(): Json {
    const { userId, userName } = this.stage.user;
    return { sub: userId, email: `${userName}@mail.test`, name: 'Ada Lovelace' };
  }

  async ask(step: Step): Promise<Json> {
    const page = await this.browser.open(`${this.app.origin}${STEPS[step]}`);
    if (page.status !== 200 || !page.type.includes('json')) throw this.problem(`${STEPS[step]} failed`, page);
    return JSON.parse(page.text) as Json;
  }

  async expectRefusal(step: Step): Promise<void> {
    const page = await this.browser.open(`${this.app.origin}${STEPS[step]}`);
    if (page.status < 400) throw this.problem(`${STEPS[step]} still answers`, page);
  }

  /** Signs out, and finds the browser signed out with the service, too: the next sign-in asks for the password. */
  async logout(): Promise<void> {
    const back = await this.passButtons(await this.browser.open(`${this.app.origin}${STEPS.logout}`));
    if (back.url.origin !== this.app.origin || back.status >= 400) {
      throw this.problem('signing out did not lead back', back);
    }
    await this.openSignIn();
  }

  expect(actual: Json, expected: Json, where: string): void {
    for (const [name, value] of Object.entries(expected)) {
      if (actual[name] === value) continue;
      throw new Error(
        `${where}: ${name} is ${JSON.stringify(actual[name])}, not ${JSON.stringify(value)}: ` +
          `${JSON.stringify(actual)}\n${this.app.output}`,
      );
    }
  }

  private async openSignIn(): Promise<{ page: Page; form: HtmlForm }> {
    const page = await this.passButtons(await this.browser.open(`${this.app.origin}${this.loginPath}`));
    const form = page.forms.find(({ fields }) => fields.some(({ name }) => name === 'password'));
    if (page.url.origin !== this.stage.issuer || form === undefined) {
      throw this.problem('the program did not lead to our sign-in page', page);
    }
    return { page, form };
  }

  /** Presses what needs no answer: a button "sign in with …" or "sign out", and forms that scripts would send. */
  private async passButtons(opened: Page): Promise<Page> {
    let page = opened;
    // a page that tells a fault may have buttons, too: Django's sends it to a stranger
    if (page.status >= 400) return page;
    for (let presses = 0; presses < 5; presses += 1) {
      const form = page.forms.find(({ method }) => method === 'post');
      if (form?.fields.some(({ type }) => type !== 'hidden') !== false) return page;
      page = await this.browser.submit(page, form);
    }
    throw this.problem('one button after the other', page);
  }

  private problem(what: string, page: Page): Error {
    const { url, status, text } = page;
    return new Error(
      `${what}: ${status} at ${url.origin}${url.pathname}${url.search}\n${readable(text)}\n${this.app.output.slice(-4000)}`,
    );
  }
}

function readable(html: string): string {
  const body = html.replace(/<(style|script)\b[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' ');
  return body.replace(/\s+/g, ' ').trim().slice(0, 600);
}
