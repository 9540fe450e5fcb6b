import { Command, CommanderError } from '@commander-js/extra-typings';

/**
 * Commander's `(Did you mean status?)`, or nothing. It gives suggestions in errors alone, where it repeats what was
 * typed, and none for an option that is written with its value, nor for a word that could be an argument as well.
 */
export function suggestionOf(typed: string, names: readonly string[]): string {
  const asked = new Command()
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeErr: () => undefined });
  for (const name of names) {
    if (name.startsWith('--')) asked.option(name);
    else asked.command(name);
  }
  try {
    asked.parse([typed], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return /\(Did you mean .*\?\)$/.exec(error.message)?.[0] ?? '';
  }
  return '';
}
