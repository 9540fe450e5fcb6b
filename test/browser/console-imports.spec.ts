import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, opens, ownerAtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// An import in the console, from the file to its end: paused, resumed and undone by its buttons.

const stage = useStage();

/** In clear, so that each is hashed and the import takes some seconds. */
const RECORDS = 150;

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

    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await page.getByText('The import goes on.').waitFor();
    await page.getByRole('button', { name: 'Undo the import' }).waitFor({ timeout: 60_000 });
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
    await page.getByText(`The import was undone: ${RECORDS} users were removed`).waitFor({ timeout: 60_000 });
    expect(await faultsIn(page)).toEqual([]);
    const left = await stage().asRoot<typeof users>('POST', 'management/v1/users/_search', {});
    expect(Number(users.details.totalResult) - Number(left.details.totalResult)).toBe(RECORDS);
    expect(visitor.complaints).toEqual([]);
  });
});
