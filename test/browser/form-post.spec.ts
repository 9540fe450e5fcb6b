import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renderFormPostPage } from '../../src/pages/form-post-page.js';
import { textsFor } from '../../src/pages/texts.js';
import { launchChromium } from '../support/chromium.js';
import { PageServer } from './support/page-server.js';

// The page that carries an answer to the application as a POST, in a browser: what arrives is the bare form.

const NONCE = 'bm9uY2U';
const parameters = { code: 'c-_.~', state: 'a b&c=d"<é>', iss: 'https://id.example' };

let browser: Browser;
let application: Server;
let origin: string;
let pages: PageServer;
const arrived: { readonly request: IncomingMessage; readonly body: string }[] = [];

beforeAll(async () => {
  application = createServer((request, response) => {
    void receive(request).then(() => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
  });
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(application.address() as AddressInfo).port}`;
  [browser, pages] = await Promise.all([launchChromium(), PageServer.listen(NONCE, origin)]);
});

beforeEach(() => {
  arrived.length = 0;
});

afterAll(async () => {
  await browser.close();
  await pages.close();
  application.closeAllConnections();
  await new Promise((resolve) => application.close(resolve));
});

async function receive(request: IncomingMessage): Promise<void> {
  const body = await text(request);
  if (request.url === '/callback') arrived.push({ request, body });
}

function formPostUrl(): string {
  const page = { texts: textsFor(['en']), nonce: NONCE, organization: { name: 'Acme' } };
  return pages.show('answer', renderFormPostPage({ ...page, redirectUri: `${origin}/callback`, parameters }));
}

function expectTheAnswer(): void {
  expect(arrived).toHaveLength(1);
  expect(arrived[0]?.request.method).toBe('POST');
  // the whole value: some clients compare it
  expect(arrived[0]?.request.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(Object.fromEntries(new URLSearchParams(arrived[0]?.body))).toEqual(parameters);
}

describe('form post page', () => {
  it('goes off by itself, and the back button does not send it again', async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const complaints: string[] = [];
    tab.on('console', (message) => complaints.push(message.text()));
    await tab.goto(`${origin}/before`);
    await tab.goto(formPostUrl(), { waitUntil: 'commit' });
    await tab.waitForURL(`${origin}/callback`);
    expectTheAnswer();
    await tab.goBack();
    await tab.waitForURL(`${origin}/before`);
    expect(arrived).toHaveLength(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('goes off by its button where no scripts run', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const tab = await context.newPage();
    await tab.goto(formPostUrl());
    expect(arrived).toHaveLength(0);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.waitForURL(`${origin}/callback`);
    expectTheAnswer();
    await context.close();
  });
});
