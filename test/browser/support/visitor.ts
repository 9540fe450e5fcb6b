import type { Browser, BrowserContext, ConsoleMessage, Page, Request, Response } from 'playwright-core';
import type { MailboxMessage } from '../../../scripts/mailbox.mjs';
import { textsFor, type Texts } from '../../../src/pages/texts.js';
import { screenshotPath } from './screenshots.js';

export interface VisitorOptions {
  /** Default true. */
  readonly scripts?: boolean;
  /** What the browser asks for; default `en-GB`. */
  readonly locale?: string;
  /** Hosts that it may ask beside those of the stage. */
  readonly hosts?: readonly string[];
}

/** Console messages are how a browser tells of a status; whether one is wrong is judged by the answer itself. */
const STATUS_LINE = /^Failed to load resource: the server responded with a status of [45]\d\d/;
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy violated: ' + event.effectiveDirective + ' ' + event.blockedURI);
})`;

/** The code that a mail asks its reader to type in. */
export function codeIn(mail: MailboxMessage): string {
  const code = /^\s*([A-Z0-9]{6,8})\s*$/m.exec(mail.text)?.[1];
  if (code === undefined) throw new Error(`no code in the mail:\n${mail.text}`);
  return code;
}

/** Somebody at a browser, and everything that the browser complains of meanwhile. */
export class Visitor {
  readonly complaints: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly ownHosts: readonly string[],
    /** In the language that the browser asks for. */
    readonly texts: Texts,
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
    { scripts = true, locale = 'en-GB' }: VisitorOptions,
  ): Promise<Visitor> {
    const context = await browser.newContext({
      javaScriptEnabled: scripts,
      locale,
      viewport: { width: 1280, height: 800 },
      // a dialog that fades away takes clicks that were meant for the next one
      reducedMotion: 'reduce',
    });
    // on a machine with other things to do, what is waited for comes late
    context.setDefaultTimeout(60_000);
    await context.addInitScript(REPORT_VIOLATIONS);
    return new Visitor(context, await context.newPage(), ownHosts, textsFor([locale]));
  }

  /** Fills the sign-in form that is open and sends it. */
  async signIn(loginName: string, password: string): Promise<void> {
    const { form, signIn } = this.texts;
    await this.page.getByLabel(form.loginName).fill(loginName);
    await this.page.getByLabel(form.password, { exact: true }).fill(password);
    await this.page.getByRole('button', { name: signIn.submit, exact: true }).click();
  }

  /** Waits until the page shows this. */
  async sees(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** The page's one heading. */
  async heading(): Promise<string> {
    return (await this.page.getByRole('heading', { level: 1 }).innerText()).trim();
  }

  /** Waits until the page with this heading is open, all of it: whoever goes on by keys finds everything in its place. */
  async arrivesAt(heading: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await this.page.waitForLoadState();
  }

  /** Waits until the application got its answer. */
  async isBack(): Promise<void> {
    await this.page.waitForURL('**/pkce/callback?**');
  }

  /** Presses Tab until this element has the focus. Fails when it takes more presses than a person has patience for. */
  async tabTo(id: string, patience = 8): Promise<void> {
    for (let presses = 0; presses < patience; presses += 1) {
      await this.page.keyboard.press('Tab');
      if ((await this.focused()) === id) return;
    }
    throw new Error(`no way to #${id} by the keyboard`);
  }

  /** Name and `autocomplete` of the fields that people or their password managers fill in. */
  async autocompletes(): Promise<Record<string, string>> {
    return await this.page.evaluate(`Object.fromEntries(
      [...document.querySelectorAll('input[autocomplete]')].map((field) => [field.name, field.autocomplete]),
    )`);
  }

  /** Whose colours and logo the open page has; the logo only when it was drawn. */
  async look(): Promise<{ readonly accent: string; readonly logo: string | null }> {
    return await this.page.evaluate(`({
      accent: getComputedStyle(document.documentElement).getPropertyValue('--accent').trim(),
      logo: [...document.querySelectorAll('.brand img')].find((image) => image.naturalWidth > 0)?.alt ?? null,
    })`);
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
    await this.page.waitForLoadState();
    await this.page.screenshot({ path: screenshotPath(name), fullPage: true });
  }

  /** Where the browser is and what it shows, for the report of a test that failed. */
  async whereabouts(): Promise<string> {
    const text = await this.page.locator('body').innerText({ timeout: 5_000 }).catch(String);
    return `${this.page.url()}\n${text.replaceAll(/\s*\n\s*/g, '\n').slice(0, 2_000)}`;
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
