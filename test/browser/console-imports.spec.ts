import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, memberAtConsole, opens, ownerAtConsole, PASSWORD } from './support/console.js';
import { useStage } from './support/stage.js';

// An import in the console, from the file to its end: paused, resumed and undone by its buttons.

const stage = useStage();

/** In clear, so that each is hashed: in chunks of a hundred, of which some are left when the button is pressed, also where a page is slow. */
const RECORDS = 400;
/** So that it has not ended before it is cancelled, which takes two presses. */
const MANY = 900;

/** Of a file of CSV, and what they fill. */
const COLUMNS = [
  ['User name', 'userName'],
  ['first_name', 'profile.firstName'],
  ['last_name', 'profile.lastName'],
  ['email', 'email.email'],
  ['email_verified', 'email.isEmailVerified'],
  ['password', 'password'],
  ['metadata.desk', 'metadata.desk'],
] as const;

function file(prefix: string, count: number): Buffer {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      userName: `${prefix}-${index}`,
      profile: { firstName: 'Crew', lastName: `Number ${index}` },
      email: { email: `${prefix}-${index}@post.example`, isEmailVerified: true },
      password: 'Correct-Horse-7',
    }),
  );
  return Buffer.from(`${lines.join('\n')}\n`);
}

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a file', exact: true }).click(),
  ]);
  await chooser.setFiles({ name, mimeType: 'application/x-ndjson', buffer });
}

describe('an import', () => {
  it('keeps its file and options where the session is over, and is sent after a sign-in in another tab', async () => {
    const { page, visitor, userId, orgId } = await memberAtConsole(stage(), 'ORG_OWNER');
    const { user } = await stage().asRoot<{ user: { preferredLoginName: string } }>(
      'GET',
      `management/v1/users/${userId}`,
    );
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    await choose(page, 'late.ndjson', file('late', 1));
    const option = page.getByRole('radio', { name: 'Send nothing' });
    await option.check();
    await stage().asRoot('DELETE', `management/v1/users/${userId}/sessions`);
    await page.context().clearCookies();
    // the page asks again what its visitor may do, which nobody can say any more
    await page.clock.setFixedTime(new Date(Date.now() + 120_000));
    await Promise.all([
      page.waitForResponse((answer) => answer.url().includes('prompt=none')),
      page.evaluate(`dispatchEvent(new Event('visibilitychange'))`),
    ]);
    const submit = page.getByRole('button', { name: 'Import 1 record' });
    await submit.click();
    await page.getByText('Your session has ended').first().waitFor();
    await page.getByText('late.ndjson').first().waitFor();
    expect(await faultsIn(page)).toEqual([]);
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).first().click(),
    ]);
    const { form } = visitor.texts;
    await tab.getByLabel(form.loginName).fill(user.preferredLoginName);
    await tab.getByLabel(form.password, { exact: true }).fill(PASSWORD);
    await tab.keyboard.press('Enter');
    await tab.locator('#content h1').waitFor();
    await tab.close();
    await expect.poll(async () => await option.isChecked()).toBe(true);
    await submit.click();
    await opens(page, 'late.ndjson');
    await page.getByText('Send nothing').first().waitFor();
    // each of these was a token of the session that had ended
    const complaints = visitor.complaints.splice(0);
    expect(complaints).not.toHaveLength(0);
    for (const complaint of complaints) expect(complaint).toMatch(/^401 for /);
  });

  it('asks before a file that was chosen is forgotten', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    await choose(page, 'crew.ndjson', file('crew', 1));
    await page.getByRole('link', { name: 'Imports', exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The file that you chose has not been sent.').waitFor();
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await page.getByText('crew.ndjson').first().waitFor();
    await page.getByRole('link', { name: 'Imports', exact: true }).first().click();
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await opens(page, 'Imports');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/orgs/${orgId}/imports`);
  });

  it('of which nothing was taken is called no success', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    await choose(page, 'torn.ndjson', Buffer.from('{"torn": \n{{\n'));
    await page.getByRole('button', { name: 'Import 2 records' }).click();
    await opens(page, 'torn.ndjson');
    const content = page.locator('#content');
    await content.getByText('All records failed', { exact: true }).waitFor();
    const records = page.getByRole('table', { name: 'Records' });
    await expect
      .poll(async () => await records.locator('thead th').allTextContents())
      .toEqual(['Line', 'Reason']);
    await expect.poll(async () => await records.getByText('The record cannot be read').count()).toBe(2);
    expect(await faultsIn(page)).toEqual([]);
    await goesTo(page, `orgs/${orgId}/imports`);
    await content
      .getByRole('row', { name: /torn\.ndjson/ })
      .getByText('All records failed')
      .waitFor();
  });

  it('is paused, goes on, and is undone after its word was typed', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    await choose(page, 'crew.ndjson', file('crew', RECORDS));
    await page.getByRole('button', { name: `Import ${RECORDS} records` }).click();
    await opens(page, 'crew.ndjson');

    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('The import is paused.').waitFor();
    const state = (word: string) => page.locator('#content').getByText(word, { exact: true });
    await state('Paused').first().waitFor();
    expect(await faultsIn(page)).toEqual([]);
    // also for whoever comes back
    await page.reload();
    await opens(page, 'crew.ndjson');
    await state('Paused').first().waitFor();

    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText('The import continues.').waitFor();
    await page.getByRole('button', { name: 'Undo the import' }).waitFor();
    await state('Done').first().waitFor();
    expect(await faultsIn(page)).toEqual([]);
    const users = await stage().asRoot<{ details: { totalResult: string } }>(
      'POST',
      'management/v1/users/_search',
      {},
    );

    await page.getByRole('button', { name: 'Undo the import' }).click();
    const dialog = page.getByRole('dialog');
    const undo = dialog.getByRole('button', { name: 'Undo the import' });
    await expect.poll(async () => await undo.isEnabled()).toBe(false);
    await dialog.getByRole('textbox').fill('undo');
    await undo.click();
    await page.getByText(`The import was undone: ${RECORDS} users were removed`).waitFor();
    expect(await faultsIn(page)).toEqual([]);
    const left = await stage().asRoot<typeof users>('POST', 'management/v1/users/_search', {});
    expect(Number(users.details.totalResult) - Number(left.details.totalResult)).toBe(RECORDS);
    expect(visitor.complaints).toEqual([]);
  });

  it('of a packed CSV shows its columns and its mails, is tried first, and has its failures tried again', async () => {
    const there = await stage().importHuman({
      userName: 'dora',
      email: { email: 'dora@post.example', isEmailVerified: true },
    });
    const rows = [
      COLUMNS.map(([name]) => name).join(','),
      'amy,Amy,Crew,amy@post.example,true,Correct-Horse-7,"3, by the window"',
      'bea,Bea,Crew,bea@post.example,true,,',
      'cleo,Cleo,Crew,cleo@post.example,false,Correct-Horse-7,',
      'dora,Dora,Crew,dora-2@post.example,true,Correct-Horse-7,',
    ];
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const content = page.locator('#content');
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    await choose(page, 'crew.csv.gz', gzipSync(rows.join('\r\n')));
    await content.getByText('4 records', { exact: true }).waitFor();
    await content.getByText('3 of them can sign in with credentials from the file').waitFor();
    const cells = page.getByRole('table', { name: 'Columns of the file' }).getByRole('cell');
    await expect.poll(() => cells.allTextContents()).toEqual(COLUMNS.flat());
    await content.getByText('Up to 2 mails and no SMS').first().waitFor();
    expect(await faultsIn(page)).toEqual([]);

    await page.getByRole('button', { name: 'Try all 4' }).click();
    const trial = page.getByRole('region', { name: 'Trial run' });
    await trial.getByText('1 of 4 records of the trial would fail.').waitFor();
    await trial.getByText('Nothing was kept, and nobody got a mail.').waitFor();
    const faults = trial.getByRole('table', { name: 'Records' }).locator('tbody tr');
    await expect.poll(() => faults.count()).toBe(1);
    await faults.getByText('Somebody else has this id, name or address').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    const found = async (userName: string): Promise<number> => {
      const { result = [] } = await stage().asRoot<{ result?: readonly object[] }>(
        'POST',
        'management/v1/users/_search',
        { queries: [{ userNameQuery: { userName } }] },
      );
      return result.length;
    };
    expect(await found('amy')).toBe(0);

    await page.getByRole('radio', { name: 'Send nothing' }).check();
    await page.getByRole('button', { name: 'Import 4 records' }).click();
    await opens(page, 'crew.csv.gz');
    await content.getByText('Done, 1 failed', { exact: true }).first().waitFor();
    const results = page.getByRole('region', { name: 'Records', exact: true });
    await results.getByText('Somebody else has this id, name or address').waitFor();
    await results.getByText('Failed 1', { exact: true }).waitFor();
    expect(await faultsIn(page)).toEqual([]);
    const saved = async (label: string) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        results.getByRole('button', { name: label }).click(),
      ]);
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    const csv = await saved('Download as CSV');
    expect(csv.name).toMatch(/^import-[\w-]+-failed\.csv$/);
    expect(csv.text.trim().split(/\r?\n/)).toHaveLength(2);
    expect(csv.text).toContain('already_exists');
    await results.getByText('All', { exact: true }).click();
    await expect.poll(() => results.locator('tbody tr').count()).toBe(4);
    const ndjson = await saved('Download as NDJSON');
    expect(ndjson.name).toMatch(/^import-[\w-]+-all\.ndjson$/);
    const outcomes = ndjson.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { outcome: string });
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual([
      'created',
      'created',
      'created',
      'failed',
    ]);

    // what stood against it is gone
    await stage().asRoot('DELETE', `management/v1/users/${there.userId}`);
    await page.getByRole('button', { name: 'Try failed records again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The record that failed becomes a new import').waitFor();
    await dialog.getByRole('button', { name: 'Try failed records again' }).click();
    await page.getByText('A new import has started.').waitFor();
    await page.getByText('Second try of', { exact: true }).waitFor();
    await results.getByText('Created 1', { exact: true }).waitFor();
    await content.getByText('Done', { exact: true }).first().waitFor();
    expect(await found('dora')).toBe(1);
    expect(stage().mailbox.messages('bea@post.example')).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('draws its chart from its stream, goes on with all of it after a lost connection, and shows it after its end', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const events = '**/management/v1/imports/*/events*';
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    await choose(page, 'gulls.ndjson', file('gull', RECORDS));
    const read: string[] = [];
    page.on('request', (request) => read.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''));
    // a stream that breaks off after its first points, and another that waits until those were seen
    let goOn = (): void => undefined;
    const wereSeen = new Promise<void>((resolve) => (goOn = resolve));
    await page.route(events, async (route) => {
      await wereSeen;
      await route.continue();
    });
    const steps = [7, 9].map((rate, index) => ({ at: new Date(index * 2_000).toISOString(), rate }));
    const lost = `event: pace\nid: 1\ndata: ${JSON.stringify({ from: 0, steps })}\n\n`;
    await page.route(
      events,
      async (route) => await route.fulfill({ contentType: 'text/event-stream', body: lost }),
      { times: 1 },
    );
    await page.getByRole('button', { name: `Import ${RECORDS} records` }).click();
    await opens(page, 'gulls.ndjson');
    const chart = page.getByRole('figure', { name: 'Records per second since the import began' });
    await chart.getByRole('button', { name: 'Show as a table' }).click();
    const rows = async () => await chart.getByRole('row').allTextContents();
    await expect.poll(rows).toHaveLength(3);
    goOn();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    // the whole of it, by the stream that was opened anew
    await expect.poll(async () => (await rows()).length).toBeGreaterThan(3);
    expect(read).not.toContain('pace');
    expect(read.filter((name) => name === 'events').length).toBe(2);
    await page.getByRole('button', { name: 'Cancel the import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click();
    await page.locator('#content').getByText('Cancelled', { exact: true }).first().waitFor();
    expect(read).not.toContain('pace');
    // for whoever comes later
    await page.reload();
    await opens(page, 'gulls.ndjson');
    await chart.waitFor();
    await expect.poll(() => read.filter((name) => name === 'pace').length).toBe(1);
    expect(visitor.complaints).toEqual([]);
  });

  it('cannot be stopped any more once its file has arrived, which whoever leaves is told', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const content = page.locator('#content');
    // in the cache of the page
    await goesTo(page, `orgs/${orgId}/imports`);
    await opens(page, 'Imports');
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    await choose(page, 'arrived.ndjson', file('arrived', 1));
    // the service has the whole file, and its answer is on its way
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Fetch.enable', {
      patterns: [{ urlPattern: '*/management/v1/imports?format=*', requestStage: 'Response' }],
    });
    await page.getByRole('button', { name: 'Import 1 record' }).click();
    await content.getByText('The file has arrived and is being read').waitFor();
    await expect
      .poll(async () => await page.getByRole('button', { name: 'Stop the upload' }).count())
      .toBe(0);
    await content.getByRole('link', { name: 'Imports', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('the import can no longer be stopped here').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await opens(page, 'Imports');
    await content.getByText('arrived.ndjson').first().waitFor();
    await devtools.detach();
    expect(visitor.complaints.splice(0).filter((told) => !told.includes('ERR_ABORTED'))).toEqual([]);
  });

  it('is cancelled, knowing what stays, and nothing of it goes on', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const content = page.locator('#content');
    await goesTo(page, `orgs/${orgId}/imports/new`);
    await opens(page, 'Import a file');
    await choose(page, 'sailors.ndjson', file('sailor', MANY));
    await page.getByRole('button', { name: `Import ${MANY} records` }).click();
    await opens(page, 'sailors.ndjson');
    await page.getByRole('button', { name: 'Cancel the import' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The records at work are finished.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel the import' }).click();
    await page.getByText('The import is being cancelled.').waitFor();
    await content.getByText('Cancelled', { exact: true }).first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Cancel the import' }).count()).toBe(0);
    expect(await faultsIn(page)).toEqual([]);
    const id = page.url().split('/').at(-1) ?? '';
    const { counts, state } = await stage().asRoot<{
      readonly state: string;
      readonly counts: { readonly created: number };
    }>('GET', `management/v1/imports/${id}`);
    expect(state).toBe('cancelled');
    expect(counts.created).toBeLessThan(MANY);
    expect(visitor.complaints).toEqual([]);
  });
});
