import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { given } from '../support/given.js';
import { goesTo, memberAtConsole, settles, tokenOf } from './support/console.js';
import { NOT_THEIRS, wrongOn } from './support/role-controls.js';
import { LABELS, PAGES, ROLES, WITHOUT_CONSOLE, type Call } from './support/role-table.js';
import { useStage } from './support/stage.js';
import { oneOfEach } from './support/things.js';

// Each role finds at the console the places, buttons and links that the table gives it and no others, and what is not shown is
// refused by the server.

const stage = useStage({ CLIENT_REGISTRATION: 'token' });

type Ids = Readonly<Record<string, string>>;

/** One of everything that the pages show. */
const things = given(async (): Promise<Ids> => {
  const made = await oneOfEach(stage(), (what) =>
    what === 'metadata key' ? 'department' : `Lighthouse ${what}`,
  );
  // a key that does not sign yet
  await stage().asRoot('POST', 'admin/v1/keys/_rotate', {});
  return { ...made };
});

function filled(text: string, ids: Ids): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `{${name}}`);
}

async function statusOf({ method, path, body }: Call, authorization: string, ids: Ids): Promise<number> {
  const response = await fetch(`${stage().issuer}/${filled(path, ids)}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body !== undefined && { body: filled(JSON.stringify(body), ids) }),
  });
  return response.status;
}

async function placesOf(page: Page): Promise<readonly string[]> {
  return await page
    .locator('.mantine-AppShell-navbar a')
    .evaluateAll((all) => all.map((link) => (link.getAttribute('href') ?? '').replace('/console/', '')));
}

/** What a page that is not theirs says in quotation marks: whose it is, and where those are found. */
async function namedIn(page: Page): Promise<readonly string[]> {
  const words = (await page.locator('#content').textContent()) ?? '';
  return [...words.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name);
}

describe.each(ROLES)('%s', (role) => {
  it(
    'finds the places, buttons and links of the table and no others, and is refused the rest',
    { timeout: 480_000 },
    async () => {
      const { page, visitor, orgId } = await memberAtConsole(stage(), role);
      const token = await tokenOf(page);
      const ids: Ids = { ...things, org: orgId, domain: 'unproven.example' };
      const at = (address: string): string => filled(address, ids);

      await expect
        .poll(async () => await placesOf(page))
        .toEqual(
          PAGES.flatMap(({ at: address, seenBy, isInner }) =>
            isInner !== true && seenBy.includes(role) ? [at(address)] : [],
          ),
        );

      const wrong: string[] = [];
      for (const row of PAGES) {
        const { at: address, seenBy, reads, actions } = row;
        const isTheirs = seenBy.includes(role);
        if (isTheirs) {
          await goesTo(page, at(address));
          await page.locator('#content h1').first().waitFor();
          await settles(page);
        } else {
          // from a page that is theirs: what is seen afterwards is not of the page before
          await goesTo(page, at('orgs/{org}'));
          await page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/console/${at(address)}`)})`);
          await page.locator('#content').getByText(NOT_THEIRS).first().waitFor();
          const scope = address.startsWith('instance/') ? 'IAM_' : 'ORG_';
          const others = seenBy.filter((one) => one.startsWith(scope)).map((one) => LABELS[one]);
          await expect
            .poll(async () => await namedIn(page), { message: address })
            .toEqual([...others, 'Administrators']);
        }
        wrong.push(...(await wrongOn(page, row, role)));
        const isRefused = async (call: Call): Promise<string[]> => {
          const status = await statusOf(call, token, ids);
          return [403, 404].includes(status) ? [] : [`${call.method} ${call.path} answered ${status}`];
        };
        if (reads !== undefined && !isTheirs) wrong.push(...(await isRefused(reads)));
        if (reads !== undefined && isTheirs) {
          const status = await statusOf(reads, token, ids);
          if (status !== 200) wrong.push(`${reads.method} ${reads.path} answered ${status}`);
        }
        for (const { by, call } of actions)
          if (call !== undefined && !(by.includes(role) && isTheirs)) wrong.push(...(await isRefused(call)));
      }
      expect(wrong).toEqual([]);
      // nor does a page that is not theirs ask the server for what it would show
      expect(visitor.complaints.splice(0)).toEqual([]);
    },
  );
});

describe.each(WITHOUT_CONSOLE)('%s, a role for token exchange', (role) => {
  it('finds no place, and is refused all of it', async () => {
    const { page, visitor } = await memberAtConsole(stage(), role);
    const token = await tokenOf(page);
    await expect.poll(async () => await placesOf(page)).toEqual([]);
    for (const { reads, actions } of PAGES)
      for (const call of [reads, ...actions.map((action) => action.call)])
        if (call !== undefined)
          expect([403, 404], `${call.method} ${call.path}`).toContain(
            await statusOf(call, token, { ...things, org: '' }),
          );
    expect(visitor.complaints).toEqual([]);
  });
});
