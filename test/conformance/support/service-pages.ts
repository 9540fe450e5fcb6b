import { expect } from 'vitest';
import { policySources, type Page } from './browser.js';
import type { HtmlForm } from './html-form.js';

/** The sign-in form by its stable names (architecture §6); undefined where the page is another one. */
export function signInForm(page: Page): HtmlForm | undefined {
  const form = page.forms.find(({ buttons }) => buttons.some(({ id }) => id === 'login-submit'));
  if (form === undefined) return undefined;
  expect(form.method).toBe('post');
  const names = form.fields.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['loginName', 'password']));
  return form;
}

/** The form of the button by which a user refuses to sign in; undefined where the page has none. */
export function cancelForm(page: Page): HtmlForm | undefined {
  return page.forms.find(({ buttons }) => buttons.some(({ id }) => id === 'login-cancel'));
}

/** @returns what would keep a browser from sending the form by itself, or change what arrives */
export function postingPageFaults(page: Page, form: HtmlForm): string[] {
  const faults: string[] = [];
  if (page.status !== 200) faults.push(`the page has the status ${page.status}`);
  if (form.method !== 'post') faults.push('the form is no POST');
  const enctype = form.attributes['enctype'] ?? 'application/x-www-form-urlencoded';
  if (enctype !== 'application/x-www-form-urlencoded') faults.push(`the form is sent as ${enctype}`);
  if (form.fields.some(({ type }) => type !== 'hidden')) faults.push('a field of the answer can be seen');
  const scripts = [...page.html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
  const sending = scripts.find(([, , code = '']) => /\bsubmit\b/.test(code));
  if (sending === undefined) return [...faults, 'no script sends the form'];
  const [, head = '', code = ''] = sending;
  if (/setTimeout|setInterval|requestAnimationFrame/.test(code)) faults.push('the form waits for a timer');
  const nonce = /\bnonce="([^"]+)"/.exec(head)?.[1];
  if (policySources(page, 'script-src')?.includes(`'nonce-${nonce ?? ''}'`) !== true) {
    faults.push('the policy of the page does not let its script run');
  }
  return faults;
}

/** REVIEW: the person stays with the service, and reads what it is about. */
export function expectOwnPage(page: Page, issuer: string, status: number, text: string): void {
  expect(page.url.origin).toBe(new URL(issuer).origin);
  expect(page.status).toBe(status);
  expect(page.headers['content-type']).toMatch(/^text\/html/);
  expect(page.headers['strict-transport-security']).toMatch(/max-age=\d+/);
  expect(page.html).toContain(text);
}

/** The beginning of what a person would read. */
export function textOf(page: Page): string {
  const body = page.html.replace(/<(style|script)\b[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' ');
  return body.replace(/\s+/g, ' ').trim().slice(0, 400);
}
