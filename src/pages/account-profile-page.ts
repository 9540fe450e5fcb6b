import { html, type Html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import {
  errorSummary,
  fieldProblems,
  form,
  submitButton,
  textField,
  type FieldProblem,
  type FormView,
  type TextField,
} from './form-parts.js';
import { fieldGroup, selectField, textArea, type SelectField } from './further-fields.js';
import { named } from './layout.js';
import type { ProfileProblem } from './problems.js';
import type { Texts } from './texts.js';

/** What the page has beside first, last and display name, under the names of the claims. */
export const FURTHER_FIELDS = [
  'middleName',
  'nickName',
  'birthdate',
  'gender',
  'zoneinfo',
  'website',
  'profile',
  'picture',
  'streetAddress',
  'postalCode',
  'locality',
  'region',
  'country',
  'formatted',
] as const;
export type FurtherField = (typeof FURTHER_FIELDS)[number];
export type ProfileField = FurtherField | 'firstName' | 'lastName' | 'displayName';

export interface ProfileFault {
  readonly field: FurtherField;
  readonly kind: keyof Texts['account']['profile']['faults'];
}

export interface AccountProfilePage extends AccountPage {
  readonly form: FormView;
  /** As on file, or as typed before an error. */
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** Only one that was chosen: without it first and last name are shown. */
  readonly displayName?: string | undefined;
  readonly further?: Readonly<Partial<Record<FurtherField, string>>> | undefined;
  /** What somebody else may set again: a provider by its name, or the organization's directory. */
  readonly managed?: ReadonlyMap<ProfileField, Manager> | undefined;
  readonly problems?: readonly ProfileProblem[] | undefined;
  readonly faults?: readonly ProfileFault[] | undefined;
}

export type Manager = { readonly provider: string } | 'directory';

/** The field that a problem is about. */
export const FIELD_OF: Readonly<Record<ProfileProblem, ProfileField>> = {
  'first-name-missing': 'firstName',
  'first-name-too-long': 'firstName',
  'first-name-not-valid': 'firstName',
  'last-name-missing': 'lastName',
  'last-name-too-long': 'lastName',
  'last-name-not-valid': 'lastName',
  'display-name-too-long': 'displayName',
  'display-name-not-valid': 'displayName',
};

const ZONES: readonly string[] = Intl.supportedValuesOf('timeZone');

/** What one is called, and what else applications may ask for about a person (OpenID Connect Core §5.1). */
export function renderAccountProfilePage(page: AccountProfilePage): string {
  const { account } = page.texts;
  const { profile: texts } = account;
  const problems = problemsOf(page);
  const { names, about, web, address } = groupsOf(page, problems);
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    hasProblem: problems.length > 0,
    address: page.form.action,
    body: [
      errorSummary(account.failed, problems),
      form(
        page.form,
        html`
          ${fieldGroup(texts.groups.names, names)} ${fieldGroup(texts.groups.about, about)}
          ${fieldGroup(texts.groups.web, web)} ${fieldGroup(texts.groups.address, address)}
          ${submitButton('profile-submit', account.save, account.saving)}
        `,
      ),
    ],
  });
}

function problemsOf({ problems = [], faults = [], texts }: AccountProfilePage): readonly FieldProblem[] {
  const { profile } = texts.account;
  return [
    ...fieldProblems(problems, FIELD_OF, profile.problems),
    ...faults.map(({ field, kind }) => {
      const { summary, atField } = profile.faults[kind];
      return {
        field,
        texts: {
          summary: typeof summary === 'string' ? summary : summary({ field: profile.fields[field] }),
          atField,
        },
      };
    }),
  ];
}

type Groups = Readonly<Record<keyof Texts['account']['profile']['groups'], readonly Html[]>>;

function groupsOf(page: AccountProfilePage, problems: readonly FieldProblem[]): Groups {
  const { form: formTexts, account, familyNameFirst } = page.texts;
  const { profile: texts } = account;
  const { further = {}, managed } = page;
  const heldBy = (id: ProfileField, hint?: string) => {
    const manager = managed?.get(id);
    if (manager === undefined) return hint === undefined ? {} : { hint };
    const why =
      manager === 'directory'
        ? texts.managedByDirectory
        : texts.managed.html({ provider: named(manager.provider) });
    return { hint: why };
  };
  const text = (
    id: ProfileField,
    field: Omit<TextField, 'id' | 'type'> & Partial<Pick<TextField, 'type'>>,
  ): Html =>
    textField(
      { id, type: 'text', ...field, ...heldBy(id, field.hint as string | undefined) },
      problems,
      page.texts,
    );
  const more = (
    id: FurtherField,
    autocomplete: TextField['autocomplete'],
    field: Partial<TextField> = {},
  ): Html =>
    text(id, { label: texts.fields[id], value: further[id], optional: true, autocomplete, ...field });
  const lines = (
    id: 'streetAddress' | 'formatted',
    autocomplete: 'street-address' | 'off',
    rows: number,
  ): Html =>
    textArea(
      { id, label: texts.fields[id], value: further[id], optional: true, autocomplete, rows, ...heldBy(id) },
      problems,
      page.texts,
    );
  const first = text('firstName', {
    label: formTexts.firstName,
    value: page.firstName,
    autocomplete: 'given-name',
  });
  const last = text('lastName', {
    label: formTexts.lastName,
    value: page.lastName,
    autocomplete: 'family-name',
  });
  return {
    names: [
      ...(familyNameFirst ? [last, first] : [first, last]),
      more('middleName', 'additional-name'),
      more('nickName', 'nickname'),
      text('displayName', {
        label: texts.displayName,
        hint: texts.displayNameHint,
        value: page.displayName,
        optional: true,
        autocomplete: 'name',
      }),
    ],
    about: [
      // a year alone, or a day without its year, has no control of its own; one for dates sends nothing for half a date
      more('birthdate', 'bday', { hint: texts.birthdateHint }),
      selectField(
        {
          id: 'gender',
          label: texts.fields.gender,
          value: further.gender,
          optional: true,
          autocomplete: 'sex',
          options: [
            { value: '', label: texts.notSaid },
            ...Object.entries(texts.genders).map(([value, label]) => ({ value, label })),
          ],
        },
        problems,
        page.texts,
      ),
      zoneField(page, problems, heldBy('zoneinfo')),
    ],
    web: [
      more('website', 'url', { type: 'url', inputmode: 'url' }),
      more('profile', 'off', { type: 'url', inputmode: 'url' }),
      more('picture', 'photo', { type: 'url', inputmode: 'url' }),
    ],
    address: [
      lines('streetAddress', 'street-address', 2),
      more('postalCode', 'postal-code'),
      more('locality', 'address-level2'),
      more('region', 'address-level1'),
      more('country', 'country-name'),
      lines('formatted', 'off', 4),
    ],
  };
}

function zoneField(
  { texts, further = {} }: AccountProfilePage,
  problems: readonly FieldProblem[],
  more: Pick<SelectField, 'hint'>,
): Html {
  const { profile } = texts.account;
  const { zoneinfo = '' } = further;
  // one that this release of the runtime does not name is kept
  const zones = zoneinfo === '' || ZONES.includes(zoneinfo) ? ZONES : [zoneinfo, ...ZONES];
  return selectField(
    {
      id: 'zoneinfo',
      label: profile.fields.zoneinfo,
      value: zoneinfo,
      optional: true,
      autocomplete: 'off',
      ...more,
      options: [
        { value: '', label: profile.notSaid },
        ...zones.map((value) => {
          const [region = '', ...place] = value.split('/');
          return place.length === 0
            ? { value, label: value }
            : { value, label: place.join('/').replaceAll('_', ' '), group: region };
        }),
      ],
    },
    problems,
    texts,
  );
}
