import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unescapeHtml } from '../../support/browser-flow.js';
import type { Registered, Stage } from './stage.js';
import type { Page, WebBrowser } from './web-browser.js';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = Buffer.from(
  await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER)),
).toString('base64url');

export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
}

/** An application of an organization, where people end up who have signed in by whichever way. */
export class AppSignIn {
  private constructor(
    private readonly stage: Stage,
    private readonly server: Server,
    readonly origin: string,
    private readonly registered: Registered,
  ) {}

  static async open(stage: Stage): Promise<AppSignIn> {
    const server = createServer((_request, response) => response.end('arrived'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const registered = await stage.addApplication({
      name: 'My app',
      redirectUris: [`${origin}/callback`],
      postLogoutRedirectUris: [`${origin}/bye`],
      devMode: true,
    });
    return new AppSignIn(stage, server, origin, registered);
  }

  close(): void {
    this.server.close();
  }

  /** The sign-in page, from where the application begins. */
  async begin(browser: WebBrowser): Promise<Page> {
    const url = new URL(`${this.stage.issuer}/oauth/v2/authorize`);
    url.search = new URLSearchParams({
      client_id: this.registered.clientId,
      redirect_uri: `${this.origin}/callback`,
      response_type: 'code',
      scope: 'openid profile email',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    }).toString();
    return await browser.open(url);
  }

  /** Onwards by the button of a provider. */
  async toProvider(browser: WebBrowser, idpId: string): Promise<Page> {
    const page = await this.begin(browser);
    const way = new RegExp(`href="([^"]*/login/idps/${idpId}\\?[^"]*)"`).exec(page.text)?.[1];
    if (way === undefined) throw new Error(`no button: ${page.text.slice(0, 500)}`);
    return await browser.open(new URL(unescapeHtml(way), this.stage.issuer));
  }

  /** Whether a browser has come back here with a code. */
  arrived({ url }: Page): boolean {
    return url.origin === this.origin && url.searchParams.has('code');
  }

  async tokensOf(page: Page): Promise<Tokens> {
    if (!this.arrived(page)) throw new Error(`no code: ${page.url.href} ${page.text.slice(0, 500)}`);
    const response = await fetch(`${this.stage.issuer}/oauth/v2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: page.url.searchParams.get('code') ?? '',
        redirect_uri: `${this.origin}/callback`,
        code_verifier: VERIFIER,
        client_id: this.registered.clientId,
        client_secret: this.registered.clientSecret,
      }),
    });
    return (await response.json()) as Tokens;
  }

  async userinfo({ access_token: token }: Tokens): Promise<Response> {
    return await fetch(`${this.stage.issuer}/oidc/v1/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
  }

  async claimsOf(tokens: Tokens): Promise<Record<string, unknown>> {
    return (await (await this.userinfo(tokens)).json()) as Record<string, unknown>;
  }
}

/** Fills the form of a page that has such a field, and sends it. */
export async function fillForm(
  browser: WebBrowser,
  page: Page,
  values: Readonly<Record<string, string>>,
): Promise<Page> {
  const [name = ''] = Object.keys(values);
  const form = page.forms.find(({ fields }) => fields.some((field) => field.name === name));
  if (form === undefined) throw new Error(`no form: ${page.url.href} ${page.text.slice(0, 500)}`);
  return await browser.submit(page, form, values);
}
