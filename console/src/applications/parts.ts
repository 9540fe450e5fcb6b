import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { words } from '../app/words.ts';
import type { SubPlace } from '../shared/sub-places.tsx';
import type { Where } from './applications.ts';

/**
 * The page of an application in parts, each with an address, so that a colleague can be sent there and a phone has no more
 * than one of them to scroll. Its settings are one form all the same: what was typed in a part that is not shown stays.
 */

const t = words({ en, de }).parts;

/** The last part of the address; none for the first. */
export type Part = '' | 'sign-in' | 'tokens' | 'access' | 'code';

const LABELS: Readonly<Record<Part, string>> = {
  '': t.overview,
  'sign-in': t.signIn,
  tokens: t.tokens,
  access: t.access,
  code: t.code,
};

export const OIDC_PARTS: readonly Part[] = ['', 'sign-in', 'tokens', 'access', 'code'];
/** An API signs nobody in. */
export const API_PARTS: readonly Part[] = ['', 'code'];

/** Where what is worth a look is changed. */
const PARTS_OF_PROBLEMS: Readonly<Record<string, Part>> = {
  'Application.OIDC.V1.NotAllCombinationsAreAllowed': 'sign-in',
  'Application.OIDC.V1.GrantType.Refresh.NoAuthCode': 'sign-in',
  'Application.OIDC.V1.GrantType.Refresh.Missed': 'sign-in',
  'Application.OIDC.V1.UserAgent.AuthMethodType.NotNone': 'sign-in',
  'Application.OIDC.V1.Native.AuthMethodType.NotNone': 'sign-in',
};

interface PartLink {
  readonly to: string;
  readonly label: string;
}

export function partLink(where: Where, part: Part): PartLink {
  const start = applicationPath(where);
  return { to: part === '' ? start : `${start}/${part}`, label: LABELS[part] };
}

/** @param key of a compliance problem; the redirect URIs and the development mode are in the first part */
export function partOfProblem(where: Where, key: string): PartLink {
  return partLink(where, PARTS_OF_PROBLEMS[key] ?? '');
}

/** As `SubPlaces` takes them. @param unsaved those with input that is not saved yet */
export function partPlaces(
  where: Where,
  parts: readonly Part[],
  unsaved: ReadonlySet<Part>,
): readonly SubPlace[] {
  return parts.map((part) => {
    const { to, label } = partLink(where, part);
    return { path: to, label, isUnsaved: unsaved.has(part) };
  });
}

export function applicationPath({ org, project, app }: Where): string {
  return `/orgs/${org}/projects/${project}/applications/${app}`;
}
