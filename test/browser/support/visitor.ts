import type { Browser, BrowserContext, ConsoleMessage, Page, Request, Response } from 'playwright-core';
import type { MailboxMessage } from '../../../scripts/mailbox.mjs';
import { screenshotPath } from './screenshots.js';

export interface VisitorOptions {
  /** Default true. */
  readonly scripts?: boolean;
}

/** Console messages are how a browser tells of a status; whether one is wrong is judged by the answer itself. */
const STATUS_LINE = /^Failed to load resource: the server responded with a status of [45]\d\d/;
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy violated: ' + event.effectiveDirective + ' ' + event.blockedURI);
})`;

/** Somebody at a browser, and everything that the browser complains of meanwhile. */
export class Visitor {
  readonly complaints: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly ownHosts: readonly string[],
  ) {
    context.on('console', (message) => this.hearConsole(message));
    context.on('weberror', (error) => this.complaints.push(`script error: ${error.error().message}`));
    context.on('request', (request) => this.seeRequest(request));
    context.on('requestfailed', (request) => this.seeFailure(request));
    context.on('response', (response) => this.seeResponse(response));
  }

  static async arrive(
    browser: Browser,
    ownHosts: readonly string[],
    { scripts = true }: VisitorOptions,
  ): Promise<Visitor> {
    const context = await browser.newContext({
      javaScriptEnabled: scripts,
      locale: 'en-GB',
      viewport: { width: 1280, height: 800 },
    });
    context.setDefaultTimeout(15_000);
    await context.addInitScript(REPORT_VIOLATIONS);
    return new Visitor(context, await context.newPage(), ownHosts);
  }

  /** Fills the sign-in form that is open and sends it. */
  async signIn(loginName: string, password: string): Promise<void> {
    await this.page.getByLabel('Login name').fill(loginName);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Waits until the page shows this. */
  async sees(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** The page's one heading. */
  async heading(): Promise<string> {
    return (await this.page.getByRole('heading', { level: 1 }).innerText()).trim();
  }

  /** `id` of the element that has the focus; empty for none. */
  async focused(): Promise<string> {
    return await this.page.evaluate<string>('document.activeElement?.id ?? ""');
  }

  /** The address that a mail asks its reader to open. */
  linkIn(mail: MailboxMessage): string {
    const link = /https?:\/\/\S+/.exec(mail.text)?.[0];
    if (link === undefined) throw new Error(`no link in the mail:\n${mail.text}`);
    return link;
  }

  /** Another window of the same browser: same cookies. */
  async openWindow(): Promise<Page> {
    return await this.context.newPage();
  }

  /** Style of the outline around what has the focus. */
  async focusRing(): Promise<string> {
    return await this.page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
  }

  async photograph(name: string): Promise<void> {
    await this.page.screenshot({ path: screenshotPath(name), fullPage: true });
  }

  async leave(): Promise<void> {
    await this.context.close();
  }

  private hearConsole(message: ConsoleMessage): void {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (!STATUS_LINE.test(message.text())) this.complaints.push(`console: ${message.text()}`);
  }

  private seeRequest(request: Request): void {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && !this.ownHosts.includes(host)) {
      this.complaints.push(`request to a strange host: ${request.url()}`);
    }
  }

  private seeFailure(request: Request): void {
    const reason = request.failure()?.errorText ?? '';
    // leaving a page aborts what it was still loading
    if (reason !== 'net::ERR_ABORTED') this.complaints.push(`${reason}: ${request.url()}`);
  }

  /** Pages may refuse, as pages; nothing else may fail, and nobody ever gets to see an error without a page. */
  private seeResponse(response: Response): void {
    const status = response.status();
    if (status < 400) return;
    const isPage = response.headers()['content-type']?.startsWith('text/html') === true;
    if (response.request().resourceType() !== 'document' || !isPage) {
      this.complaints.push(`${status} for ${response.url()}`);
    }
  }
}
