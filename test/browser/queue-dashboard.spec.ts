import { once } from 'node:events';
import { request } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { photograph } from './support/appearance.js';
import { useStage } from './support/stage.js';

// The queue dashboard, as far as only a browser can tell: that bull-board really comes up under our policy, asks no
// other host for anything, and that everybody else gets a page that says why not. `useStage` fails a test whose
// browser reports a violation of the policy or a strange host.

const stage = useStage({ QUEUE_DASHBOARD_WRITES: 'true' });

const PASSWORD = 'Ballast-7-Anchors';
interface Upload {
  readonly send: (until: number) => void;
  readonly end: () => Promise<string>;
}

/** Sends a file of users as slowly as it is told to. */
function openUpload(file: Buffer, name: string): Upload {
  const sent = request(`${stage().issuer}/management/v1/imports?fileName=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stage().credentials.serviceUser.pat}`,
      'content-type': 'application/x-ndjson',
      'content-length': file.length,
    },
  });
  sent.on('error', () => undefined);
  const answered = once(sent, 'response') as Promise<[NodeJS.ReadableStream & { statusCode: number }]>;
  let from = 0;
  const send = (until: number): void => {
    sent.write(file.subarray(from, until));
    from = until;
  };
  const end = async (): Promise<string> => {
    send(file.length);
    sent.end();
    const [answer] = await answered;
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece as Buffer);
    const { id } = JSON.parse(Buffer.concat(pieces).toString()) as { id: string };
    return id;
  };
  return { send, end };
}

async function change(id: string, what: '_pause' | '_resume' | '_undo'): Promise<number> {
  const response = await fetch(`${stage().issuer}/management/v1/imports/${id}/${what}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage().credentials.serviceUser.pat}` },
  });
  return response.status;
}

/** What the ring of a card says, "" while there is none; the page looks for itself, nobody reloads it. */
async function ringOf(page: Page, name: RegExp): Promise<string> {
  const card = page.locator('[class*="card"]', { has: page.getByText(name) }).first();
  const ring = card.getByRole('progressbar');
  return (await ring.count()) === 0 ? '' : ((await ring.locator('svg text').first().textContent()) ?? '');
}

async function seeRing(page: Page, name: RegExp, percent: RegExp): Promise<void> {
  await expect.poll(() => ringOf(page, name)).toMatch(percent);
}

it('leads a stranger to the sign-in page and an administrator on to the queues', async () => {
  const { admin } = stage().credentials;
  const human = await stage().importHuman();
  await stage().mailTo(human.email);
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(`${stage().issuer}/admin/queues`);
  await expect.poll(() => visitor.heading()).toBe('Sign in');
  await expect.poll(() => page.getByText('to continue to').count()).toBe(0);

  await visitor.signIn(admin.loginName, admin.password);
  await page.waitForURL('**/admin/queues');
  const queues = page.getByRole('link', { name: /^(?:import|notifications|keys|maintenance)/ });
  await queues.first().waitFor();
  await expect
    .poll(async () => (await queues.allInnerTexts()).map((text) => text.split('\n')[0]))
    .toEqual(expect.arrayContaining(['import-progress', 'imports', 'notifications', 'keys', 'maintenance']));
  await page
    .getByText(/^\d+ Jobs?$/)
    .first()
    .waitFor();
  await photograph(page, 'dashboard');

  // where that is switched on, what the page asks for is taken as its own
  const change = async (what: string): Promise<number> =>
    await page.evaluate(
      async (url) => (await fetch(url, { method: 'PUT' })).status,
      `/admin/queues/api/queues/keys/${what}`,
    );
  expect([await change('pause'), await change('resume')]).toEqual([200, 200]);

  // the mail's job is there, done, and names nobody
  await page.goto(`${stage().issuer}/admin/queues/queue/notifications-bulk?status=completed`);
  await page.getByText('send-notification').first().waitFor();
  await photograph(page, 'dashboard-queue');
  await expect.poll(() => page.locator('body').innerText()).not.toContain(human.email);
});

it('tells a normal user, on a page, that the dashboard is not for them', async () => {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(`${stage().issuer}/admin/queues`);
  await visitor.signIn(human.loginName, PASSWORD);
  await page.getByRole('heading', { name: 'This page is for administrators' }).waitFor();
  await expect.poll(() => page.getByText(human.loginName).isVisible()).toBe(true);
  const answer = await page.reload();
  expect(answer?.status()).toBe(403);

  // and offers the ways out: no account, or another one
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await page.goto(`${stage().issuer}/admin/queues/queue/notifications`);
  await expect.poll(() => visitor.heading()).toBe('Sign in');
  await visitor.signIn(human.loginName, PASSWORD);
  await page.getByRole('link', { name: 'Use another account' }).click();
  const { admin } = stage().credentials;
  await visitor.signIn(admin.loginName, admin.password);
  await page
    .getByRole('link', { name: /^notifications/ })
    .first()
    .waitFor();
});

it('draws a ring for an import from the first byte of its file, while it is paused, and for its undo (S220)', async () => {
  const { issuer, credentials } = stage();
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(`${issuer}/admin/queues`);
  await visitor.signIn(credentials.admin.loginName, credentials.admin.password);
  await page.waitForURL('**/admin/queues');
  const lines = Array.from({ length: 6_000 }, (_, index) => {
    const email = { email: `rower-${index}@crew.example`, isEmailVerified: true };
    const profile = { firstName: 'Rower', lastName: `Number ${index}` };
    return JSON.stringify({ userName: `rower-${index}`, profile, email });
  });
  const upload = openUpload(Buffer.from(`${lines.join('\n')}\n`), 'crew <b>2026</b>.ndjson');
  upload.send(Math.floor(lines.join('\n').length / 2));
  const queue = `${issuer}/admin/queues/queue/import-progress`;
  await page.goto(`${queue}?status=active`);
  const title = 'crew <b>2026</b>.ndjson · Lighthouse Ltd';
  // half of the file is there, and the page says so by itself
  await page.getByText(`import: ${title} (receiving the file)`).first().waitFor();
  await seeRing(page, /^import: crew/, /^(?:4\d|50)%$/);
  await photograph(page, 'dashboard-import');

  const id = await upload.end();
  expect(await change(id, '_pause')).toBe(200);
  await page.goto(`${queue}?status=delayed`);
  await page.getByText(`import: ${title} (paused)`).first().waitFor();
  await seeRing(page, /^import: crew/, /^\d+%$/);

  expect(await change(id, '_resume')).toBe(200);
  await page.goto(queue);
  await seeRing(page, /^import: crew/, /^\d+%$/);
  await seeRing(page, /^import: crew/, /^100%$/);
  await expect.poll(() => change(id, '_undo')).toBe(200);
  await seeRing(page, /^undo: crew/, /^\d+%$/);
  await seeRing(page, /^undo: crew/, /^100%$/);
  await expect.poll(() => page.locator('body').innerText()).not.toContain('rower-');
});
