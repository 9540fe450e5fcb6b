/** What tests use of the local start's settings. */
export class SettingError extends Error {}

/** Path of the local master key, made when missing; undefined when the environment gives a key. */
export function masterKeyFile(
  data: string,
  env?: Readonly<Record<string, string | undefined>>,
): string | undefined;

/** What was given, as it is or in a file. */
export function givenValue(
  name: string,
  env?: Readonly<Record<string, string | undefined>>,
): string | undefined;
