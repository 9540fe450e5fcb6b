import type { Locator, Page } from 'playwright-core';
import type { Stage } from './stage.js';

/** A form of the console that stands on a page beside other things, as somebody leaves it half done. */
export interface TypedForm {
  /** Of the page, below the organization's. */
  readonly path: string;
  readonly heading: string;
  readonly type: (page: Page) => Promise<void>;
  /** What stands in the form, once something was typed. */
  readonly field: (page: Page) => Locator;
  readonly value: string;
  /** What there was before, and the button that takes it away. */
  readonly row: RegExp;
  readonly remove: string;
  /** What has to be typed before it is taken away. */
  readonly word?: string;
  readonly add: string;
  readonly added: string;
}

let made = 0;

async function aNewRole(stage: Stage): Promise<TypedForm> {
  made += 1;
  const heading = `Slipway ${made}`;
  const { id } = await stage.asRoot<{ id: string }>('POST', 'management/v1/projects', { name: heading });
  const keeper = { roleKey: 'keeper', displayName: 'Keeper' };
  await stage.asRoot('POST', `management/v1/projects/${id}/roles`, keeper);
  const field = (page: Page) => page.getByRole('form', { name: 'Add role' }).getByLabel('Key');
  return {
    path: `projects/${id}`,
    heading,
    type: async (page) => await field(page).fill('pilot'),
    field,
    value: 'pilot',
    row: /keeper/,
    remove: 'Remove',
    word: 'keeper',
    add: 'Add role',
    added: 'The role was added.',
  };
}

async function aNewDomain(stage: Stage): Promise<TypedForm> {
  made += 1;
  const value = `pier-${made}.example`;
  await stage.asRoot('POST', 'management/v1/orgs/me/domains', { domain: `spare-${made}.example` });
  const field = (page: Page) => page.getByRole('textbox', { name: 'Domain', exact: true });
  return {
    path: 'settings',
    heading: 'Settings',
    type: async (page) => await field(page).fill(value),
    field,
    value,
    row: new RegExp(`spare-${made}`),
    remove: 'Remove',
    add: 'Add a domain',
    added: 'The domain was added.',
  };
}

async function rolesToGive(stage: Stage): Promise<TypedForm> {
  made += 1;
  const heading = `Harbour master ${made}`;
  const value = `Inner basin ${made}`;
  const { userId } = await stage.asRoot<{ userId: string }>('POST', 'management/v1/users/machine', {
    userName: `harbour-master-${made}`,
    name: heading,
  });
  await stage.asRoot('POST', 'management/v1/projects', { name: value });
  const before = { name: `Outer basin ${made}` };
  const { id: projectId } = await stage.asRoot<{ id: string }>('POST', 'management/v1/projects', before);
  await stage.asRoot('POST', `management/v1/users/${userId}/grants`, { projectId });
  const field = (page: Page) =>
    page.getByRole('form', { name: 'Give roles' }).getByRole('combobox', { name: 'Project' });
  return {
    path: `service-users/${userId}`,
    heading,
    type: async (page) => {
      await field(page).fill(value);
      await page.getByRole('option', { name: value, exact: true }).click();
    },
    field,
    value,
    row: /Outer basin/,
    remove: 'Take away',
    add: 'Give',
    added: 'The roles are given.',
  };
}

export const TYPED_FORMS = [
  ['a new role', aNewRole],
  ['a new domain', aNewDomain],
  ['roles to give', rolesToGive],
] as const;
