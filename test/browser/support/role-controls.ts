import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { EVERYWHERE, OF_FORMS, PAGES, type Action, type Name, type PageOf, type Role } from './role-table.js';

/** Where a page is not the visitor's. */
export const NOT_THEIRS = /You may not open this page/;
const BETWEEN_LOOKS_MS = 100;

interface Control {
  readonly kind: 'button' | 'link' | 'field';
  readonly name: string;
  /** Where a link leads. */
  readonly to: string;
}

/** Everything on the page that can be pressed, followed, typed into or chosen, but for what sorts a list, which is for all who see it. */
const CONTROLS = `(() => {
  const nameOf = (element) =>
    element.getAttribute('aria-label') ??
    ((element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim() ||
      element.labels?.[0]?.textContent ||
      element.textContent ||
      element.getAttribute('placeholder') ||
      '');
  const named = (element) => nameOf(element).replace(/\\s+/g, ' ').replace(/ ?\\*$/, '').trim();
  const all = [...document.querySelectorAll('#content :is(a[href], button, [role=button], [role=menuitem], input, textarea, select)')];
  return all
    .filter((element) => !element.matches('thead button') && element.checkVisibility() && !element.matches('input:disabled, textarea:disabled, select:disabled, [readonly], [type=hidden], [type=file], .mantine-SegmentedControl-input'))
    .map((element) => ({
      kind: element.matches('a') ? 'link' : element.matches('input, textarea, select') ? 'field' : 'button',
      name: named(element),
      to: element.getAttribute('href') ?? '',
    }));
})()`;

/** They, once two looks at the page find the same. */
async function controlsOf(page: Page): Promise<readonly Control[]> {
  let last: readonly Control[] | undefined;
  for (;;) {
    const now = await page.evaluate<Control[]>(CONTROLS);
    if (JSON.stringify(now) === JSON.stringify(last)) return now;
    last = now;
    await wait(BETWEEN_LOOKS_MS);
  }
}

function isCalled(name: Name, control: Control): boolean {
  return typeof name === 'string' ? control.name === name : name.test(control.name);
}

const KINDS = { button: 'button', link: 'link', checkbox: 'field' } as const;

/** Whether a control is there; without a name, whether anything on the page can be typed into or chosen. */
function isOffered(
  controls: readonly Control[],
  { name, role = 'button' }: Action,
  uses: readonly Name[],
): boolean {
  return name === ''
    ? controls.some((control) => control.kind === 'field' && !uses.some((use) => isCalled(use, control)))
    : controls.some((control) => control.kind === KINDS[role] && isCalled(name, control));
}

/** The page of the table that an address is of: the one with the fewest gaps. Texts of all messages are alike. */
function pageAt(address: string): PageOf | undefined {
  return PAGES.filter(({ at }) =>
    new RegExp(`^${at.replaceAll(/\{\w+\}|(?<=texts\/)initialise/g, '[^/]+')}$`).test(address),
  ).toSorted((one, other) => one.at.split('{').length - other.at.split('{').length)[0];
}

/** Of every visitor. */
const ELSEWHERE = new Set(['/console/', '/account', '/account/security', '#content']);

/** Whether somebody with this role may have a control on this page: as the table has it, or a link to a page that is theirs. */
function isTheirs(control: Control, { actions, uses = [] }: PageOf, role: Role): boolean {
  const { kind, to } = control;
  if ([...EVERYWHERE, ...uses].some((name) => isCalled(name, control))) return true;
  const theirs = actions.filter(({ by }) => by.includes(role));
  if (kind === 'field')
    return theirs.some(
      (action) => action.name === '' || (action.role === 'checkbox' && isCalled(action.name, control)),
    );
  if (kind === 'button') {
    const opens = theirs.some(({ name }) => name === '');
    // what folds and unfolds a form, or shows what is typed into it
    return (
      theirs.some(({ name }) => name !== '' && isCalled(name, control)) ||
      (opens && OF_FORMS.some((name) => isCalled(name, control)))
    );
  }
  if (ELSEWHERE.has(to)) return true;
  const address = /^\/console\/([^?#]*)/.exec(to)?.[1];
  return address !== undefined && pageAt(address)?.seenBy.includes(role) === true;
}

/** What a role lacks on a page that the table gives it, and what it has beyond that. */
function differences(controls: readonly Control[], row: PageOf, role: Role): readonly string[] {
  const { at, actions, seenBy, uses = [] } = row;
  const beyond = controls
    .filter((control) => !isTheirs(control, row, role))
    .map(({ kind, name, to }) => `${at}: ${kind} "${name}" ${to} is not theirs`);
  const others = actions
    .filter(({ isRare }) => isRare !== true)
    .flatMap((action) => {
      const isTheirAction = action.by.includes(role) && seenBy.includes(role);
      if (isOffered(controls, action, [...EVERYWHERE, ...uses]) === isTheirAction) return [];
      return [`${labelOf(at, action)} is ${isTheirAction ? 'missing' : 'shown'}`];
    });
  return [...beyond, ...others];
}

function labelOf(at: string, { name }: Action): string {
  return `${at}: ${name === '' ? 'fields' : String(name)}`;
}

/** The same of the open page, which is looked at until nothing is wrong, or for as long as it could still be loading. */
export async function wrongOn(page: Page, row: PageOf, role: Role): Promise<readonly string[]> {
  const isTheirPage = row.seenBy.includes(role);
  let wrong: readonly string[] = [];
  const look = async (): Promise<readonly string[]> => {
    const isRefused = (await page.locator('#content').getByText(NOT_THEIRS).count()) > 0;
    wrong = [
      ...(isRefused === isTheirPage ? [`${row.at} is ${isTheirPage ? 'refused' : 'shown'}`] : []),
      ...differences(await controlsOf(page), row, role),
    ];
    return wrong;
  };
  try {
    await expect.poll(look).toEqual([]);
  } catch {
    // all pages are looked at, and told of together
  }
  return wrong;
}
