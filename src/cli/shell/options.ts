import { parseArgs } from 'node:util';
import { didYouMean } from './did-you-mean.js';
import { UsageError } from './exit.js';

/** An option of a command: `--users FILE`, `--lenient`, `--email-verified [true|false]`. */
export interface Option<Kind extends OptionKind = OptionKind, Required extends boolean = boolean> {
  readonly kind: Kind;
  /** `truth` has three states: absent, true (also when bare) and false. */
  readonly required: Required;
  /** What stands for the value in the help, such as FILE. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly meaning: string;
}

type OptionKind = 'text' | 'flag' | 'truth' | 'choice';

export interface Options {
  readonly [name: string]: Option;
}

type Value<Of extends Option> = Of['kind'] extends 'flag'
  ? boolean
  : Of['kind'] extends 'truth'
    ? boolean | undefined
    : Of['required'] extends true
      ? string
      : string | undefined;

export type ValuesOf<Known extends Options> = { readonly [Name in keyof Known]: Value<Known[Name]> };

export function text(placeholder: string, meaning: string): Option<'text', false> {
  return { kind: 'text', required: false, placeholder, meaning };
}

export function requiredText(placeholder: string, meaning: string): Option<'text', true> {
  return { kind: 'text', required: true, placeholder, meaning };
}

export function flag(meaning: string): Option<'flag', false> {
  return { kind: 'flag', required: false, meaning };
}

export function truth(meaning: string): Option<'truth', false> {
  return { kind: 'truth', required: false, meaning };
}

export function choice(choices: readonly string[], meaning: string): Option<'choice', false> {
  return { kind: 'choice', required: false, choices, placeholder: choices.join('|'), meaning };
}

const TRUTHS = new Map([
  ['true', true],
  ['false', false],
]);

/** Reads a command's arguments; `--name value` and `--name=value` alike. Throws UsageError. */
export function readArguments<Known extends Options>(
  known: Known,
  args: readonly string[],
): { values: ValuesOf<Known>; rest: string[] } {
  const { values: given, positionals } = parse(known, args);
  const values: Record<string, string | boolean | undefined> = {};
  for (const [name, option] of Object.entries(known)) {
    values[name] = readValue(name, option, given[name]);
  }
  // each value was made from its own definition, which the compiler cannot follow
  return { values: values as ValuesOf<Known>, rest: positionals };
}

function parse(known: Options, args: readonly string[]) {
  try {
    return parseArgs({
      args: bareTruths(known, args),
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(known).map(([name, { kind }]) => [
          name,
          { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [problem = error.message] = error.message.split(/\.\s/);
    const [, typed] = /^Unknown option '--([a-z-]+)/.exec(problem) ?? [];
    const meant = typed && didYouMean(typed, Object.keys(known));
    if (meant) throw new UsageError(`no such option; ${meant.replace('"', '"--')}`);
    // all our options have two dashes: what begins with one was more likely meant as an id
    throw new UsageError(
      /^Unknown option '-[^-]/.test(problem)
        ? `${problem}; put -- before arguments that begin with a hyphen`
        : problem,
    );
  }
}

/** `--email-verified` alone means true: parseArgs knows no option whose value may be left out. */
function bareTruths(known: Options, args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const isTruth = arg.startsWith('--') && known[arg.slice(2)]?.kind === 'truth';
    return isTruth && !TRUTHS.has(args[index + 1] ?? '') ? [`${arg}=true`] : [arg];
  });
}

function readValue(name: string, option: Option, given: string | boolean | undefined) {
  if (option.kind === 'flag') return given === true;
  if (given === undefined || typeof given === 'boolean') {
    if (option.required) throw new UsageError(`--${name} is required`);
    return undefined;
  }
  if (given === '') throw new UsageError(`--${name} has no value`);
  if (option.kind === 'truth') {
    const value = TRUTHS.get(given);
    if (value === undefined) throw new UsageError(`--${name} is true or false`);
    return value;
  }
  if (option.choices !== undefined && !option.choices.includes(given)) {
    throw new UsageError(`--${name} is one of ${option.choices.join(', ')}`);
  }
  return given;
}
