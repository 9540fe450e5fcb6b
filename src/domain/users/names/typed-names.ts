import { singleLine } from '../../shared/display-text.js';
import { hasHidden } from '../../shared/hidden-characters.js';
import { isLongerThan } from './text-rules.js';

/** Names as somebody typed them into a form of ours; absent when a field was left empty. */
interface TypedNames {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly displayName?: string | undefined;
}

interface ReadNames {
  readonly firstName: string;
  readonly lastName: string;
  /** Absent for first and last name. */
  readonly displayName?: string;
}

type Required = 'first-name' | 'last-name';
type Fault = 'too-long' | 'not-valid';
export type RequiredNameProblem = `${Required}-${'missing' | Fault}`;
export type NameProblem = RequiredNameProblem | `display-name-${Fault}`;

const LONGEST_NAME = 200;

/** All problems at once, in the order of the fields. */
export function readNames(
  typed: TypedNames,
): { readonly names: ReadNames } | { readonly problems: readonly NameProblem[] } {
  const firstName = nameLine(typed.firstName);
  const lastName = nameLine(typed.lastName);
  const displayName = nameLine(typed.displayName);
  const shown = faultOf(displayName, typed.displayName);
  const found = [
    requiredNameProblem('first-name', firstName, typed.firstName),
    requiredNameProblem('last-name', lastName, typed.lastName),
    shown && (`display-name-${shown}` as const),
  ];
  const problems = found.filter((problem) => problem !== undefined);
  if (problems.length > 0) return { problems };
  return { names: { firstName, lastName, ...(displayName !== '' && { displayName }) } };
}

/** One line without control characters (security S059), which a form field has none of unless somebody put them there. */
export function nameLine(text: string | undefined): string {
  return singleLine(text ?? '', Number.MAX_SAFE_INTEGER);
}

/** A character that nobody sees is refused (security S205). @param name what `nameLine` made of `typed` */
export function requiredNameProblem(
  field: Required,
  name: string,
  typed: string | undefined,
): RequiredNameProblem | undefined {
  if (name === '') return `${field}-missing`;
  const fault = faultOf(name, typed);
  return fault && `${field}-${fault}`;
}

function faultOf(name: string, typed = ''): Fault | undefined {
  if (hasHidden(typed)) return 'not-valid';
  return isLongerThan(LONGEST_NAME, name) ? 'too-long' : undefined;
}
