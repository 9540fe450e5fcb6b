import { SECRETS } from './environment.js';
import { serversOf, serversProblem, withPassword } from './postgres-servers.js';
import { accountOf } from './well-known-passwords.js';

/**
 * Variables as the environment has them → as the schema reads them, with what files and other variables add.
 * @param faults where what is wrong is written to
 */
export function givenVariables(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
  faults: string[],
): Readonly<Record<string, string | undefined>> {
  faults.push(...renamedFaults(given));
  const merged = withSecretFiles(given, readFile, faults);
  putPasswordsIntoUrls(merged, faults);
  return merged;
}

/** Settings that have another name now. The old one stops the start: its value would be passed over in silence. */
const RENAMED: Readonly<Record<string, string>> = {
  DATABASE_QUICK_LANES: 'DATABASE_PIPELINE_CONNECTIONS',
  SIGN_IN_TIME_GRID: 'SIGN_IN_RESPONSE_PADDING',
};

function renamedFaults(given: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(RENAMED).flatMap(([old, now]) =>
    (given[old] ?? '') === '' ? [] : [`${old}: is called ${now} now`],
  );
}

/**
 * Adds what `NAME_FILE` variables point at; giving both forms is a fault, because one of them would be ignored. An empty
 * file is an unset variable, as an empty variable is: compose wants every secret to exist, used or not.
 */
function withSecretFiles(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
  faults: string[],
): Record<string, string | undefined> {
  const merged: Record<string, string | undefined> = {};
  // an empty variable is an unset one: compose files and CI systems write them that way
  for (const [name, value] of Object.entries(given)) merged[name] = value === '' ? undefined : value;
  for (const name of SECRETS) {
    const path = merged[`${name}_FILE`];
    if (path === undefined) continue;
    let content: string;
    try {
      content = readFile(path).trim();
    } catch {
      faults.push(`${name}_FILE: cannot be read`);
      continue;
    }
    if (content === '') continue;
    if (merged[name] === undefined) merged[name] = content;
    else faults.push(`${name}: give either ${name} or ${name}_FILE, not both`);
  }
  return merged;
}

/** A password can be kept apart from the URL that needs it, so that one secret is one file for the server and for us. */
function putPasswordsIntoUrls(given: Record<string, string | undefined>, faults: string[]): void {
  for (const [urlName, passwordName] of [
    ['DATABASE_URL', 'DATABASE_PASSWORD'],
    ['REDIS_URL', 'REDIS_PASSWORD'],
  ] as const) {
    const { [urlName]: text, [passwordName]: password } = given;
    if (password === undefined) continue;
    // no password can stand in a URL without a host
    const [first] = text === undefined || serversProblem(text) !== undefined ? [text] : serversOf(text);
    if (text === undefined || first === undefined || !URL.canParse(first) || new URL(first).host === '') {
      faults.push(`${passwordName}: needs ${urlName}, a URL with a host and without a password`);
      continue;
    }
    if (accountOf(first)?.password !== '') {
      faults.push(`${passwordName}: ${urlName} has a password already; give one of them`);
      continue;
    }
    given[urlName] = withPassword(text, password);
  }
}
