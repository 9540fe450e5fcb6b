import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSampleApplication, type SampleApplication } from '../../scripts/sample-app.mjs';
import { eventually } from '../workers/support/eventually.js';
import { HttpBrowser } from './http-browser.js';
import { documentsIn, shapeOf, stepsOf, type PrintedStep } from './support/printed-page.js';
import { PrintedShell } from './support/printed-shell.js';
import { PrintedStage } from './support/printed-stage.js';

// The pages that people copy from, followed to the letter by a shell and a browser against the real programs.

const ROOT = path.join(import.meta.dirname, '../..');
const page = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

let stage: PrintedStage;
beforeAll(async () => {
  stage = await PrintedStage.build();
});
afterAll(() => stage.tearDown());

/** Declares a test for each step. They stand on each other: one shell, one browser. */
function follow(
  steps: readonly PrintedStep[],
  signInWith: (browser: HttpBrowser, url: URL) => Promise<URL>,
  /** Whether the page prints all that its steps show. */
  { complete }: { complete: boolean },
): void {
  let shell: PrintedShell;
  beforeAll(() => {
    const { issuer } = stage.credentials;
    const browser = new HttpBrowser(issuer);
    shell = PrintedShell.open(stage.folder, issuer, (url) => signInWith(browser, url));
  });
  afterAll(() => shell.close());

  let stuckAt: string | undefined;
  it.each(steps.map((step) => [step.title, step] as const))('%s', async (title, { action, outcome }) => {
    if (stuckAt !== undefined) throw new Error(`nobody gets here: "${stuckAt}" failed`);
    stuckAt = title;
    if ('file' in action) await shell.save(action.file, action.text);
    else await runInShell(shell, action.lines, outcome ?? (complete ? { text: '' } : undefined));
    stuckAt = undefined;
  });
}

async function runInShell(
  shell: PrintedShell,
  lines: string,
  outcome: PrintedStep['outcome'],
): Promise<void> {
  const { output, succeeded, complaints } = await shell.run(lines);
  expect({ succeeded, complaints }, output).toEqual({ succeeded: true, complaints: '' });
  if (outcome === undefined) return;
  if ('text' in outcome) expect(output).toBe(outcome.text);
  else expect(documentsIn(output).map(shapeOf)).toEqual(outcome.json.map(shapeOf));
}

describe('docs/examples.md', () => {
  const steps = stepsOf(page('docs/examples.md'));

  follow(
    steps,
    async (browser, url) => {
      const { loginName, password } = stage.credentials.admin;
      let seen = await browser.open(url);
      if ('page' in seen) seen = await browser.fillIn(seen.page, { loginName, password });
      if ('page' in seen) throw new Error(`still here: ${seen.page.slice(0, 500)}`);
      return seen.left;
    },
    { complete: true },
  );
});

describe('README.md, the five-minute tour', () => {
  let application: SampleApplication;
  beforeAll(async () => {
    application = await startSampleApplication({ credentials: () => stage.credentials });
  });
  afterAll(() => application.stop());

  const [, tour = ''] = /^(## Five-minute tour\n[\s\S]*?)^## /m.exec(page('README.md')) ?? [];

  /** The application at the port that it got, where its redirect URIs name another. */
  const ask = async (target: string | URL, cookie = ''): Promise<Response> => {
    const { pathname, search } = new URL(target, application.url);
    return await fetch(new URL(pathname + search, application.url), {
      redirect: 'manual',
      headers: { cookie },
    });
  };

  /** Step 3: the browser comes from the application, and ends on its page. */
  async function signInAtApplication(browser: HttpBrowser): Promise<void> {
    expect(await (await ask('/')).text()).toContain('href="/sign-in"');
    const away = await ask('/sign-in');
    const cookie = away.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    let seen = await browser.open(new URL(away.headers.get('location') ?? ''));
    if (!('page' in seen)) throw new Error('nobody was asked to sign in');
    seen = await browser.fillIn(seen.page, { loginName: 'ada@localhost', password: 'Correct-Horse-7' });
    const mail = await eventually('the mail', 20_000, () => stage.mailbox.messages('ada@example.com')[0]);
    const code = /[?&]code=([\w-]+)/.exec(mail.text)?.[1] ?? '';
    if ('page' in seen) seen = await browser.fillIn(seen.page, { code });
    if ('page' in seen) throw new Error(`still here: ${seen.page.slice(0, 500)}`);
    const back = await ask(seen.left, cookie);
    expect(back).toMatchObject({ status: 303 });
    const page = await (await ask('/', cookie)).text();
    expect(page).toContain('<h1>Ada Lovelace</h1>');
    for (const shown of [
      'ada@localhost',
      'ada@example.com',
      'email_verified',
      'rt_',
      stage.credentials.issuer,
    ]) {
      expect(page).toContain(shown);
    }
    // another browser sees nothing of it, and no answer counts twice
    expect(await (await ask('/')).text()).not.toContain('Ada');
    expect(await (await ask(seen.left, cookie)).text()).toContain('did not ask');
  }

  /** Step 4. */
  async function expectUnasked(answer: URL): Promise<void> {
    const page = await (await ask(answer)).text();
    expect(page).toContain('This application did not ask for this answer');
  }

  follow(
    stepsOf(tour),
    async (browser, url) => {
      await signInAtApplication(browser);
      const seen = await browser.open(url);
      if ('page' in seen) throw new Error(`still here: ${seen.page.slice(0, 500)}`);
      await expectUnasked(seen.left);
      return seen.left;
    },
    { complete: false },
  );
});

describe('the other pages', () => {
  const files = readdirSync(path.join(ROOT, 'docs')).filter(
    // the calls of docs/quickstart/ send what the programs of the interop ring were registered with (test/unit/docs)
    (file) => file.endsWith('.md') && file !== 'examples.md',
  );

  it.each(files)('docs/%s prints no call that nothing runs', (file) => {
    const lines = page(`docs/${file}`).split('\n');
    expect(lines.filter((line) => /^\s*(?:\$ )?curl /.test(line))).toEqual([]);
  });
});
