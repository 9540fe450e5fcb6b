import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, opens, ownerAtConsole, place } from './support/console.js';
import { useStage } from './support/stage.js';
import { TYPED_FORMS } from './support/typed-forms.js';

// Forms that stand beside other things, left half done.

const stage = useStage();

describe('a form on a page of other things', () => {
  it.each(TYPED_FORMS)(
    'asks before %s is left, and is as it was for whoever comes back',
    async (_, prepare) => {
      const typed = await prepare(stage());
      const { page, orgId } = await ownerAtConsole(stage());
      await goesTo(page, `orgs/${orgId}/${typed.path}`);
      await opens(page, typed.heading);
      await typed.type(page);
      await place(page, 'Events').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('What you changed on this page is not saved.').waitFor();
      expect(await faultsIn(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Stay here' }).click();
      await expect.poll(async () => await typed.field(page).inputValue()).toBe(typed.value);
      await place(page, 'Events').click();
      await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
      await opens(page, 'Events');
      await goesTo(page, `orgs/${orgId}/${typed.path}`);
      await expect.poll(async () => await typed.field(page).inputValue()).toBe(typed.value);
    },
  );
});
