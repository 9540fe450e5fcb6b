import { InvalidArgumentError, Option, type Command, type OptionValues } from '@commander-js/extra-typings';

/** Gives a command options that it shares with others, typed as if they stood in it. */
export function withOptions<
  Arguments extends unknown[],
  Own extends OptionValues,
  Shared extends OptionValues,
>(command: Command<Arguments, Own>, shared: Command<[], Shared>): Command<Arguments, Own & Shared> {
  for (const option of shared.options) command.addOption(option);
  // commander types only what is added one by one
  return command as unknown as Command<Arguments, Own & Shared>;
}

/** `--email-verified [true|false]` has three states: absent, true (also when bare) and false. */
export function emailVerifiedOption(meaning: string) {
  return new Option('--email-verified [true|false]', meaning).preset('true').argParser(truth);
}

function truth(given: string): boolean {
  if (given !== 'true' && given !== 'false') throw new InvalidArgumentError('Must be true or false.');
  return given === 'true';
}

export function wholeNumber(given: string): number {
  const number = Number(given);
  if (!/^\d{1,9}$/.test(given) || number === 0)
    throw new InvalidArgumentError('Must be a whole number, 1 or more.');
  return number;
}
