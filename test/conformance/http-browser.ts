import { hiddenFields } from '../support/browser-flow.js';
import { PASSWORD, type TestUser } from '../support/users.js';
import { formsOf } from './support/html-form.js';

/** A browser without scripts over real HTTP: keeps cookies, and stops where a redirect leaves the service. */
export class HttpBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly origin: string) {}

  /** Opens an address of the service; gives the first redirect that leaves it, else the page it ends on. */
  async open(url: URL): Promise<{ left: URL } | { page: string }> {
    return await this.follow(url, await this.send(url));
  }

  /** The same, filling in the sign-in form where it comes up. */
  async openAndSignIn(url: URL, user: TestUser): Promise<URL> {
    let result = await this.open(url);
    if ('page' in result) {
      const form = { ...hiddenFields(result.page), loginName: user.loginName, password: PASSWORD };
      const target = new URL('/login', this.origin);
      const body = new URLSearchParams(form);
      result = await this.follow(target, await this.send(target, { method: 'POST', body }));
    }
    if ('page' in result) throw new Error(`still here: ${result.page.slice(0, 500)}`);
    return result.left;
  }

  /** From the address that a device shows to the page that says that it is connected; gives that page. */
  async connectDevice(url: URL, user: TestUser): Promise<string> {
    let at = await this.open(url);
    for (const [answers, button] of [
      [{ user_code: url.searchParams.get('user_code') ?? '' }],
      [{ loginName: user.loginName, password: PASSWORD }],
      [{}, { name: 'decision', value: 'allow' }],
    ] as const) {
      if ('left' in at) throw new Error(`left for ${at.left.href}`);
      at = await this.fillIn(at.page, answers, button);
    }
    if ('left' in at) throw new Error(`left for ${at.left.href}`);
    return at.page;
  }

  /**
   * Sends the form of a page that asks for these fields, with these answers.
   * @param button the one that is pressed, where it says something of itself
   */
  async fillIn(
    page: string,
    answers: Readonly<Record<string, string>>,
    button?: { readonly name: string; readonly value: string },
  ): Promise<{ left: URL } | { page: string }> {
    const form = formsOf(page).find(({ fields }) =>
      Object.keys(answers).every((name) => fields.some((field) => field.name === name)),
    );
    if (form === undefined)
      throw new Error(`nothing asks for ${Object.keys(answers).join()}: ${page.slice(0, 500)}`);
    const body = new URLSearchParams(
      form.fields.map(({ name, value }): [string, string] => [name, answers[name] ?? value]),
    );
    if (button !== undefined) body.set(button.name, button.value);
    const target = new URL(form.action, this.origin);
    return await this.follow(target, await this.send(target, { method: 'POST', body }));
  }

  private async follow(from: URL, response: Response): Promise<{ left: URL } | { page: string }> {
    const location = response.headers.get('location');
    if (location === null) return { page: await response.text() };
    const target = new URL(location, from);
    if (target.origin !== this.origin) return { left: target };
    return await this.follow(target, await this.send(target));
  }

  private async send(url: URL, init: { method?: string; body?: URLSearchParams } = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const header of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (name !== undefined && value !== undefined) this.cookies.set(name, value);
    }
    return response;
  }
}
